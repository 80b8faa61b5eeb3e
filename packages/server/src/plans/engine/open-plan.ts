import { assert } from "@steward/kernel/assert.js";
import type { Origin } from "../../kernel/origin.js";
import {
  planDiffers,
  type ApprovalChange,
  withAdded,
  withDefinitions,
  withStep,
  type PlanChange,
  type PlanState,
  type RevisionRequest,
  type StepState,
} from "../plan-state.js";
import type { PreparedStep } from "../plan.js";
import type { PlanRef, ResultRef } from "../ports.js";
import {
  PlanConflict,
  type AppendSource,
  type AttemptEnd,
  type EventsOrigin,
  type LoadedPlan,
  type LogEntry,
  type PlanLog,
  type PlanUnit,
} from "./plan-log.js";
import { RecentOutputs } from "./recent-outputs.js";
import { UnwrittenEnds } from "./unwritten-ends.js";

const NONE: readonly never[] = [];

/** An entry being written to the log, with the callbacks of its waiters. */
interface Waiting {
  readonly entry: LogEntry;
  /** The plan after the entry. */
  readonly state: PlanState;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * One plan that this node works on. Decisions use `state`, which may be ahead of the log by the
 * entry being written. At most one append runs at a time; decisions made meanwhile are part of the
 * next one. When an append fails, the plan becomes `broken`: the callers load it again and repeat
 * their decisions.
 */
export class OpenPlan implements AppendSource {
  readonly ref: PlanRef;
  /** The node that owned the plan when it was read; absent: no owner. */
  owner: string | undefined;
  /** Outputs in memory for the steps that refer to them. */
  readonly outputs: RecentOutputs = new RecentOutputs();
  readonly ends: UnwrittenEnds = new UnwrittenEnds();
  readonly #log: PlanLog;
  #state: PlanState;
  #prepared: readonly PreparedStep[];
  /** The plan's row as the log has it, or will have it after the current append. */
  #written: PlanState;
  /** The plan's newest sequence after this node's last append. */
  #ownSequence: number | undefined;
  #events: LogEntry["events"] = NONE;
  #origins: EventsOrigin[] | undefined;
  /** The changed steps, each as it is after its last change. */
  #steps: StepState[] | undefined;
  #definitions: readonly PreparedStep[] = NONE;
  #approvals: readonly ApprovalChange[] = NONE;
  #waiting: Waiting[] | undefined;
  #appending: readonly Waiting[] = NONE;
  #newOwner: string | undefined;
  #appendingOwner: string | undefined;
  #append: Promise<void> | undefined;
  #broken = false;
  readonly #results: Map<number, ResultRef>;
  readonly #durablyClaimed: Set<number>;

  constructor(log: PlanLog, ref: PlanRef, loaded: Omit<LoadedPlan, "name" | "description">) {
    const { state, prepared, results, owner } = loaded;
    this.#log = log;
    this.ref = { orgId: ref.orgId, planId: ref.planId };
    this.#prepared = prepared;
    this.owner = owner;
    this.#state = state;
    this.#written = state;
    this.#results = new Map(results);
    this.#durablyClaimed = new Set(
      state.steps.filter((step) => step.status === "running").map((step) => step.index),
    );
  }

  get state(): PlanState {
    return this.#state;
  }

  get sessionId(): string {
    return this.#state.sessionId;
  }

  /** Whether the log may differ from this object, so that the plan must be loaded again. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Whether nothing is running or unwritten, so that the plan may be closed. */
  get idle(): boolean {
    const isUnwritten =
      this.#events.length > 0 || this.#waiting !== undefined || this.#append !== undefined;
    return !isUnwritten && this.#state.steps.every((step) => step.status !== "running");
  }

  /**
   * Whether this node wrote the plan's newest event, so that no other node has changed the plan
   * since.
   */
  get isLatestWriter(): boolean {
    return this.#ownSequence === this.#state.lastSequence;
  }

  step(stepId: string): PreparedStep | undefined {
    for (const step of this.#prepared) if (step.id === stepId) return step;
    return undefined;
  }

  /** The place of the step's result in a log. */
  resultOf(stepIndex: number): ResultRef | undefined {
    return this.#results.get(stepIndex);
  }

  /**
   * Applies a change; the next {@link write} writes it.
   * @param origin who asked for it; absent: the service itself.
   */
  change(change: PlanChange, origin?: Origin): void {
    this.#state = change.plan;
    this.#events = this.#events.length === 0 ? change.events : [...this.#events, ...change.events];
    this.#origins = withAdded(this.#origins, { count: change.events.length, origin });
    for (const step of change.steps) this.#steps = withStep(this.#steps, step);
    if (change.approvals.length > 0) this.#approvals = [...this.#approvals, ...change.approvals];
    if (change.definitions.length === 0) return;
    this.#definitions = [...this.#definitions, ...change.definitions];
    this.#prepared = withDefinitions(this.#prepared, change.definitions);
    // A result of an earlier definition of the step is not a result of this definition.
    for (const { id, index } of change.definitions) {
      this.#results.delete(index);
      this.outputs.drop(id);
    }
  }

  /** Makes this node the plan's owner with the next append. */
  own(nodeId: string): void {
    this.#newOwner = nodeId;
  }

  /**
   * Gives up the ownership of the plan, so that decisions read it from the log. An append in
   * progress may still make this node the owner; the next append gives up that ownership.
   */
  disown(): void {
    this.owner = undefined;
    this.#newOwner = undefined;
    this.#appendingOwner = undefined;
  }

  /**
   * Appends the changes made so far as one entry. Resolves when the entry is durable.
   * @param end the result of the attempt that ended with these changes.
   * @throws PlanConflict and the errors of {@link PlanLog.append}.
   */
  write(end?: AttemptEnd): Promise<void> {
    // An entry based on a state that never became durable must not be written after the gap.
    if (this.#broken) return Promise.reject(new PlanConflict());
    const [first] = this.#events;
    if (first === undefined) return this.settled();
    const entry = {
      sequence: first.sequence,
      events: this.#events,
      steps: this.#steps ?? NONE,
      definitions: this.#definitions,
      request: this.#requestOf(this.#definitions),
      end,
      origins: this.#origins ?? NONE,
      approvals: this.#approvals,
    };
    this.#events = NONE;
    this.#origins = undefined;
    this.#steps = undefined;
    this.#definitions = NONE;
    this.#approvals = NONE;
    const state = this.#state;
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting = withAdded(this.#waiting, { entry, state, resolve, reject });
    });
    if (end !== undefined) this.ends.add(end.step.id, written);
    this.#startAppend();
    return written;
  }

  /** Resolves when all writes requested so far are durable or have failed. */
  async settled(): Promise<void> {
    while (this.#append !== undefined) await this.#append;
  }

  takeUnit(): PlanUnit {
    assert(this.#appending.length === 0, "one append of a plan is under way at a time");
    this.#appending = this.#waiting ?? NONE;
    this.#waiting = undefined;
    const entries = this.#appending.map(({ entry }) => entry);
    const state = this.#appending.at(-1)?.state ?? this.#written;
    const owner = this.#newOwner;
    this.#newOwner = undefined;
    this.#appendingOwner = owner;
    const differs = owner !== undefined || planDiffers(this.#written, state);
    this.#written = state;
    return {
      ref: this.ref,
      sessionId: this.sessionId,
      entries,
      plan: differs ? state : undefined,
      owner,
      ...this.#claimChanges(entries),
    };
  }

  /** The request that brought these definitions, if it had an idempotency key. */
  #requestOf([first]: readonly PreparedStep[]): RevisionRequest | undefined {
    if (first === undefined) return undefined;
    return this.#state.revisionRequests.find(({ revision }) => revision === first.revision);
  }

  #startAppend(): void {
    if (this.#append !== undefined || this.#waiting === undefined) return;
    this.#append = this.#log.append(this).then(
      () => {
        this.#note();
      },
      (error: unknown) => {
        this.#break(error as Error);
      },
    );
  }

  #note(): void {
    const appended = this.#appending;
    this.#appending = NONE;
    this.#append = undefined;
    for (const { entry } of appended) {
      const { sequence, events, end } = entry;
      if (end?.context !== undefined) {
        this.#results.set(end.step.index, { planId: this.ref.planId, sequence });
      }
      this.#ownSequence = sequence + events.length - 1;
    }
    this.owner = this.#appendingOwner ?? this.owner;
    for (const { resolve } of appended) resolve();
    this.#startAppend();
  }

  #break(failure: Error): void {
    this.#broken = true;
    this.#append = undefined;
    const failed = [...this.#appending, ...(this.#waiting ?? NONE)];
    this.#appending = NONE;
    this.#waiting = undefined;
    for (const { reject } of failed) reject(failure);
  }

  #claimChanges(entries: readonly LogEntry[]): Pick<PlanUnit, "claimed" | "ended"> {
    const claimed: StepState[] = [];
    const ended: number[] = [];
    for (const step of lastChangesOf(entries)) {
      const { index } = step;
      if (step.status === "running") {
        claimed.push(step);
        this.#durablyClaimed.add(index);
      } else if (this.#durablyClaimed.delete(index)) {
        ended.push(index);
      }
    }
    return { claimed, ended };
  }
}

/** The steps that entries change, each as it is after its last change. */
function lastChangesOf(entries: readonly LogEntry[]): Iterable<StepState> {
  const [first, ...others] = entries;
  if (first === undefined || others.length === 0) return first?.steps ?? [];
  return new Map(entries.flatMap(({ steps }) => steps).map((step) => [step.index, step])).values();
}
