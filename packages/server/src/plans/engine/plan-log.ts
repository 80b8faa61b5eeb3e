import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PageRequest, PlanFilter, PlanPage } from "../orchestrator.js";
import type { PlanEvent } from "../plan-events.js";
import type { PlanState, StepContext, StepState } from "../plan-state.js";
import type { PreparedStep } from "../plan.js";
import type { AbandonedStep, AttemptRef, NewPlan, PlanRef } from "../ports.js";

/*
 * The ports of the engine. A store implements them with SQL and decides nothing: which transition is
 * made, who may make it and what happens after a failure is decided by the engine alone.
 */

/**
 * The durable log of every plan. A plan's entries are numbered by the sequence of their first event;
 * an entry is appended only while its number is free, so that of two nodes that decided on the same state
 * one learns that it was second. Errors of each method: `STORE_UNAVAILABLE` when nothing can be said.
 */
export interface PlanLog {
  /**
   * Stores a new plan with its first events.
   * @param owner the node that decides on it from the start; absent: the plan is shared.
   * @returns the earlier request under the same idempotency key: then nothing was stored.
   */
  create(
    plan: NewPlan,
    state: PlanState,
    events: readonly PlanEvent[],
    owner: string | undefined,
  ): Promise<EarlierRequest | undefined>;

  /** A plan as committed; `undefined` when it is unknown, or another organization's. */
  load(ref: PlanRef): Promise<LoadedPlan | undefined>;

  /**
   * Appends what a plan has to write, all of it or nothing, and resolves when it is durable.
   * @param source asked exactly once, at the moment of writing: what was decided until then goes along.
   * @throws PlanConflict when another node has written to the plan before.
   */
  append(source: AppendSource): Promise<void>;

  /** What the step that ended with this entry left for the LLM. @param sequence of the entry. */
  readResult(ref: PlanRef, sequence: number): Promise<StepContext>;

  /**
   * Prolongs the lease of a durable claim by `LEASE_MS`.
   * @param owner who claimed the step.
   * @returns false when the claim is no longer that attempt's.
   */
  renewLease(attempt: AttemptRef, stepIndex: number, owner: string): Promise<boolean>;

  /**
   * Says that an append will follow soon, so that a commit under preparation may wait for it.
   * @returns withdraws it: to be called after the append, or when there will be none.
   */
  announce(): () => void;
}

/** Reads that need no decision. Errors: `STORE_UNAVAILABLE` when nothing can be said. */
export interface PlanReads {
  /** Newest first. */
  list(orgId: string, filter: PlanFilter, page: PageRequest): Promise<PlanPage>;

  /** @throws AppError `PLAN_NOT_FOUND`, `CURSOR_OUT_OF_RANGE`. */
  events(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]>;

  /**
   * Running steps whose lease is over or whose node is gone, oldest first, and plans that run past their
   * deadline; at most `limit` of each, and none of a plan that another live node owns.
   */
  findDue(limit: number): Promise<DueWork>;
}

/** This process among the nodes that share a log. */
export interface EngineNode {
  /** Another one after each time that its lease was lost. */
  readonly nodeId: string;
  /** Whether its lease is valid: until then no other node takes its plans. */
  readonly hasLease: boolean;
  /** The log's time, in ms since the epoch: the same for every node. */
  nowMs(): number;
  /** Whether another node's lease is valid. */
  isAlive(nodeId: string): Promise<boolean>;
  /** Has `listener` called with each heartbeat. */
  onBeat(listener: () => void): void;
}

/** How a plan passes from the node that owns it to another that wants to decide on it. */
export interface PlanHandover {
  /** Asks the owner to release a plan. The request lasts until it is heard. */
  request(nodeId: string, ref: PlanRef): Promise<void>;
  /** The plans of this node that others have asked for. */
  requested(): Promise<readonly PlanRef[]>;
  /** Lets every node decide on the plan, if this node is still its owner. */
  release(nodeId: string, ref: PlanRef): Promise<void>;
  /** Tells the other nodes that a plan has changed. */
  announceChange(ref: PlanRef): void;
  /** Has the listeners called with what other nodes say. Messages may be lost: poll as well. */
  listen(listeners: HandoverListeners): Unsubscribe;
}

/** What other nodes say. */
export interface HandoverListeners {
  readonly changed: (ref: PlanRef) => void;
  readonly requested: (ref: PlanRef) => void;
  /** Messages may have been lost: everything may have changed. */
  readonly missed: () => void;
}

/** The request that used an idempotency key first. */
export interface EarlierRequest {
  readonly planId: string;
  /** SHA-256 of the request, hex. */
  readonly requestHash: string;
}

/** A plan as its rows tell it. */
export interface LoadedPlan {
  readonly name: string;
  readonly description: string;
  readonly state: PlanState;
  readonly prepared: readonly PreparedStep[];
  /** Sequence of the entry that holds the result of each step that has ended, by step index. */
  readonly results: ReadonlyMap<number, number>;
  /** The node that decides on the plan; absent: the plan is shared. */
  readonly owner: string | undefined;
}

/** A plan that has something to write. */
export interface AppendSource {
  readonly ref: PlanRef;
  takeUnit(): PlanUnit;
}

/** Everything of one plan that is written together. */
export interface PlanUnit {
  readonly ref: PlanRef;
  readonly sessionId: string;
  readonly entries: readonly LogEntry[];
  /** The plan's own row; absent when it stays as it is. */
  readonly plan: PlanState | undefined;
  /** The node that owns the plan from then on; absent: as before. */
  readonly owner: string | undefined;
  /** Running steps whose claim becomes durable. */
  readonly claimed: readonly StepState[];
  /** Indexes of steps whose claim was durable and that run no more. */
  readonly ended: readonly number[];
}

/** One entry of a plan's log: transitions that are written together. */
export interface LogEntry {
  /** Of its first event. */
  readonly sequence: number;
  readonly events: readonly PlanEvent[];
  /** Steps as they are after it. */
  readonly steps: readonly StepState[];
  /** The attempt that ended with it. */
  readonly end: AttemptEnd | undefined;
}

/** What the end of an attempt leaves. */
export interface AttemptEnd {
  readonly step: PreparedStep;
  readonly context: StepContext | undefined;
  readonly toolCall: ToolCallRecord | undefined;
}

/** Work that nobody asks for. */
export interface DueWork {
  readonly abandoned: readonly AbandonedStep[];
  readonly overdue: readonly PlanRef[];
}

/** Another node has written to the plan: nothing of the unit was kept. */
export class PlanConflict extends Error {
  override readonly name = "PlanConflict";
}
