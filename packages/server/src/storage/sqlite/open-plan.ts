import { assert } from "../../kernel/assert.js";
import type { PlanEvent, PreparedStep } from "../../plans/index.js";
import type { PlanRef } from "../../plans/ports.js";
import { KeptOutputs } from "../kept-outputs.js";
import { UnwrittenEnds } from "../unwritten-ends.js";
import {
  applyChange,
  planDiffers,
  type PlanChange,
  type PlanState,
  type StepContext,
} from "../../plans/transitions.js";
import type { CommitWriter } from "./commit-writer.js";
import type { Write, WriteUnit } from "./commit-protocol.js";
import { writeEvent, writePlan, writeStep } from "./plan-writes.js";

/**
 * One plan that is being worked on, as this process, the store's only owner, knows it. Decisions are
 * made on `state`, which may be ahead of the disk by what is being committed; `durable` is what the
 * rows will say once that is done.
 */
export class OpenPlan {
  readonly ref: PlanRef;
  readonly prepared: readonly PreparedStep[];
  #state: PlanState;
  #durable: PlanState;
  #unwrittenEvents: PlanEvent[] = [];
  /** By the index of their step. */
  readonly #unwrittenContexts = new Map<number, StepContext>();
  /** Outputs at hand for the steps that refer to them. */
  readonly outputs: KeptOutputs = new KeptOutputs();
  readonly ends: UnwrittenEnds = new UnwrittenEnds();
  #broken = false;

  constructor(ref: PlanRef, state: PlanState, prepared: readonly PreparedStep[]) {
    this.ref = ref;
    this.prepared = prepared;
    this.#state = state;
    this.#durable = state;
  }

  get state(): PlanState {
    return this.#state;
  }

  /** A commit failed: the state is ahead of the disk for good, and the plan must be loaded anew. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Whether nothing is running or unwritten, so that the plan may be closed. */
  get idle(): boolean {
    return (
      this.ends.isEmpty &&
      this.#unwrittenEvents.length === 0 &&
      this.#state.steps.every((step) => step.status !== "running")
    );
  }

  /** Takes a change over, to be written with the next {@link commit}. */
  change(change: PlanChange): void {
    this.#state = applyChange(this.#state, change);
    this.#unwrittenEvents.push(...change.events);
  }

  /** Takes over what a step hands to the LLM, to be written with its end. */
  leave(stepIndex: number, context: StepContext): void {
    this.#unwrittenContexts.set(stepIndex, context);
  }

  /**
   * Writes everything not yet written, and `more`, as one unit. Resolves when it is durable.
   * @param endsStep the step whose end is in it, for {@link ends}.
   */
  async commit(writer: CommitWriter, more: WriteUnit = [], endsStep?: string): Promise<void> {
    const unit = [...this.#takeUnwritten(), ...more];
    if (unit.length === 0) return;
    const written = writer.commit(unit).catch((error: unknown) => {
      this.#broken = true;
      throw error;
    });
    if (endsStep !== undefined) this.ends.add(endsStep, written);
    await written;
  }

  #takeUnwritten(): Write[] {
    const is = this.#state;
    const was = this.#durable;
    const writes: Write[] = [];
    if (planDiffers(was, is)) writes.push(writePlan(is));
    for (const [index, step] of is.steps.entries()) {
      const before = was.steps[index];
      assert(before !== undefined, "a plan never gains or loses steps");
      if (before === step) continue;
      writes.push(writeStep(this.ref, before, step, this.#unwrittenContexts.get(index)));
    }
    for (const event of this.#unwrittenEvents) writes.push(writeEvent(this.ref, event));
    this.#durable = is;
    this.#unwrittenEvents = [];
    this.#unwrittenContexts.clear();
    return writes;
  }
}
