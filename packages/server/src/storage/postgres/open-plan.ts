import type { ToolCallRecord } from "../../kernel/tool-call.js";
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
  type StepState,
} from "../../plans/transitions.js";

/** One row of a plan's log: transitions that are written together. */
export interface ChangeRow {
  /** Of its first event. */
  readonly sequence: number;
  readonly events: readonly PlanEvent[];
  readonly steps: readonly StepState[];
  /** The plan after it. */
  readonly state: PlanState;
  /** What the attempt that ended with it left. */
  readonly end: AttemptEndRow | undefined;
}

/** What the end of an attempt adds to a change. */
export interface AttemptEndRow {
  readonly step: PreparedStep;
  readonly context: StepContext | undefined;
  readonly call: ToolCallRecord | undefined;
}

/** Everything of one plan that is written together: all of it, or nothing. */
export interface PlanUnit {
  readonly plan: OpenPlan;
  readonly rows: readonly ChangeRow[];
  /** Absent when the plan's own row stays as it is. */
  readonly state: PlanState | undefined;
  /** The node that holds the plan from then on; absent: as before. */
  readonly holder: string | undefined;
  /** Running steps that are to be known to everybody. */
  readonly claimed: readonly StepState[];
  /** Indexes of steps that were, and run no more. */
  readonly ended: readonly number[];
  readonly settle: (failure?: Error) => void;
}

/** What is known of a plan's rows. */
export interface LoadedPlan {
  readonly state: PlanState;
  readonly sessionId: string;
  readonly prepared: readonly PreparedStep[];
  /** Where the result of each step that has ended stands: step index to sequence. */
  readonly results: ReadonlyMap<number, number>;
  readonly holder: string | undefined;
}

interface Waiting {
  readonly row: ChangeRow;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * One plan that is being worked on, as this node knows it. Decisions are made on `state`, which may be
 * ahead of the rows by what is being written; should another node have written meanwhile, the writing
 * fails, the plan is broken, and whoever decided on it loads it anew and decides again.
 */
export class OpenPlan {
  readonly ref: PlanRef;
  readonly sessionId: string;
  readonly prepared: readonly PreparedStep[];
  /** The node whose hold this plan was opened under; absent: it is shared. */
  heldBy: string | undefined;
  /** The plan's newest sequence after this node's last writing. */
  ownSequence: number | undefined;
  #state: PlanState;
  #rowState: PlanState;
  #events: PlanEvent[] = [];
  readonly #steps = new Map<number, StepState>();
  #waiting: Waiting[] = [];
  #holder: string | undefined;
  #inFlight: Promise<void> | undefined;
  #broken = false;
  readonly #results: Map<number, number>;
  readonly #leased: Set<number>;
  /** Outputs at hand for the steps that refer to them. */
  readonly outputs: KeptOutputs = new KeptOutputs();
  readonly ends: UnwrittenEnds = new UnwrittenEnds();

  constructor(ref: PlanRef, { state, sessionId, prepared, results }: LoadedPlan) {
    this.ref = ref;
    this.sessionId = sessionId;
    this.prepared = prepared;
    this.#state = state;
    this.#rowState = state;
    this.#results = new Map(results);
    this.#leased = new Set(
      state.steps.filter((step) => step.status === "running").map((step) => step.index),
    );
  }

  get state(): PlanState {
    return this.#state;
  }

  /** The rows are not what this object thinks: it must be loaded anew. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Whether nothing is running or unwritten, so that the plan may be closed. */
  get idle(): boolean {
    return !this.#hasUnwritten && this.#state.steps.every((step) => step.status !== "running");
  }

  /** Whether changes were sealed that nobody has taken yet, or the hold is to be changed. */
  get hasUnit(): boolean {
    return this.#inFlight === undefined && this.#waiting.length > 0;
  }

  /** Whether more is to be written than what is under way. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get #hasUnwritten(): boolean {
    return this.#events.length > 0 || this.#waiting.length > 0 || this.#inFlight !== undefined;
  }

  step(stepId: string): PreparedStep | undefined {
    return this.prepared.find((step) => step.id === stepId);
  }

  /** Takes a change over, to be written with what is sealed next. */
  change(change: PlanChange): void {
    this.#state = applyChange(this.#state, change);
    this.#events.push(...change.events);
    for (const step of change.steps) this.#steps.set(step.index, step);
  }

  /** Closes what was changed so far into one row. Resolves when it is durable. */
  seal(end?: AttemptEndRow): Promise<void> {
    const [first] = this.#events;
    if (first === undefined) return this.settled();
    const events = this.#events;
    const steps = [...this.#steps.values()];
    const row = { sequence: first.sequence, events, steps, state: this.#state, end };
    this.#events = [];
    this.#steps.clear();
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
    });
    if (end !== undefined) this.ends.add(end.step.id, written);
    return written;
  }

  /** Has this node hold the plan once the next unit is written. */
  take(nodeId: string): void {
    this.#holder = nodeId;
  }

  /** What is to be written now. */
  takeUnit(): PlanUnit {
    const waiting = this.#waiting;
    this.#waiting = [];
    const rows = waiting.map(({ row }) => row);
    const state = rows.at(-1)?.state ?? this.#rowState;
    const holder = this.#holder;
    const differs = holder !== undefined || planDiffers(this.#rowState, state);
    this.#rowState = state;
    this.#holder = undefined;
    let settle: PlanUnit["settle"] = () => undefined;
    this.#inFlight = new Promise((resolve) => {
      settle = (failure) => {
        this.#inFlight = undefined;
        if (failure === undefined) this.#note(rows, holder);
        else this.#break(failure);
        for (const each of waiting) {
          if (failure === undefined) each.resolve();
          else each.reject(failure);
        }
        resolve();
      };
    });
    const { claimed, ended } = this.#leaseChanges(rows);
    return { plan: this, rows, state: differs ? state : undefined, holder, claimed, ended, settle };
  }

  /** Resolves when what was sealed so far is durable, or has failed. */
  async settled(): Promise<void> {
    while (this.#inFlight !== undefined || this.#waiting.length > 0) {
      await (this.#inFlight ?? new Promise((resolve) => setImmediate(resolve)));
    }
  }

  /** The sequence of the row with the step's result. */
  resultSequence(stepIndex: number): number | undefined {
    return this.#results.get(stepIndex);
  }

  #note(rows: readonly ChangeRow[], holder: string | undefined): void {
    for (const { sequence, end, events } of rows) {
      if (end?.context !== undefined) this.#results.set(end.step.index, sequence);
      this.ownSequence = sequence + events.length - 1;
    }
    this.heldBy = holder ?? this.heldBy;
  }

  #break(failure: Error): void {
    this.#broken = true;
    for (const each of this.#waiting.splice(0)) each.reject(failure);
  }

  #leaseChanges(rows: readonly ChangeRow[]): Pick<PlanUnit, "claimed" | "ended"> {
    const last = new Map(rows.flatMap((row) => row.steps).map((step) => [step.index, step]));
    const claimed: StepState[] = [];
    const ended: number[] = [];
    for (const [index, step] of last) {
      if (step.status === "running") {
        claimed.push(step);
        this.#leased.add(index);
      } else if (this.#leased.delete(index)) {
        ended.push(index);
      }
    }
    return { claimed, ended };
  }
}
