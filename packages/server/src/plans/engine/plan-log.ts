import type { PartyNames } from "@steward/kernel/caller.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { Origin } from "../../kernel/origin.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PageRequest, PlanPage, StoredPlanFilter } from "../orchestrator.js";
import type { NewPlanEvent, PlanEvent } from "../plan-events.js";
import type {
  ApprovalChange,
  PlanState,
  RevisionRequest,
  StepContext,
  StepState,
} from "../plan-state.js";
import type { PreparedStep } from "../plan.js";
import type { AbandonedStep, AttemptRef, NewPlan, PlanRef, ResultRef } from "../ports.js";

/*
 * The ports of the engine. A store implements them with SQL and contains no decisions: the engine
 * alone decides which transition happens, who may make it, and what follows a failure.
 */

/**
 * The durable log of all plans. An entry's number is the sequence of its first event, and an entry
 * is appended only if its number is free. So when two nodes decide on the same state, the second
 * one gets an error. Errors of each method: `STORE_UNAVAILABLE` when the log cannot be reached.
 */
export interface PlanLog {
  /**
   * Stores a new plan with its first events.
   * @param owner the node that owns the plan from the start; absent: no owner.
   * @returns the earlier request under the same idempotency key, in which case nothing was stored.
   */
  create(
    plan: NewPlan,
    state: PlanState,
    events: readonly NewPlanEvent[],
    owner: string | undefined,
  ): Promise<EarlierRequest | undefined>;

  /** A committed plan; `undefined` when it is unknown or belongs to another organization. */
  load(ref: PlanRef): Promise<LoadedPlan | undefined>;

  /**
   * Appends a plan's pending changes atomically, and resolves when they are durable.
   * @param source called exactly once, when the write happens, so that it includes all decisions
   * until then.
   * @throws PlanConflict when another node has written to the plan since.
   */
  append(source: AppendSource): Promise<void>;

  /** The result of the step that ended with this entry. @param sequence of the entry. */
  readResult(ref: PlanRef, sequence: number): Promise<StoredResult>;

  /**
   * Extends the lease of a durable claim by `LEASE_MS`.
   * @param owner the owner of the claim.
   * @returns false when that attempt no longer holds the claim.
   */
  renewLease(attempt: AttemptRef, stepIndex: number, owner: string): Promise<boolean>;

  /**
   * Announces that an append will follow soon, so that a group commit may wait for it.
   * @returns a function that withdraws the announcement, to be called after the append or when
   * there will be none.
   */
  announce(): () => void;
}

/** Reads that need no decision. Errors: `STORE_UNAVAILABLE` when the store cannot be reached. */
export interface PlanReads {
  /** Newest first. */
  list(orgId: string, filter: StoredPlanFilter, page: PageRequest): Promise<PlanPage>;

  /** @throws AppError `PLAN_NOT_FOUND`, `CURSOR_OUT_OF_RANGE`. */
  events(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]>;

  /** Who submitted a plan, without a name if the service did; `undefined` when the plan is unknown. */
  submitterOf(ref: PlanRef): Promise<PartyNames | undefined>;

  /** The request that created a plan under an idempotency key; `undefined` when none did. */
  earlierRequest(orgId: string, key: string): Promise<EarlierRequest | undefined>;

  /**
   * Running steps whose lease has expired or whose node is dead, oldest first, running plans past
   * their deadline, and plans with an approval whose time has passed; at most `limit` of each, and
   * none of a plan that another live node owns.
   * @param except plans, as `planId`, and steps, as `planId/index`, that are left out.
   */
  findDue(limit: number, except: readonly string[]): Promise<DueWork>;
}

/** This process as one of the nodes that share a log. */
export interface EngineNode {
  /** Changes each time that the lease was lost. */
  readonly nodeId: string;
  /** Whether its lease is valid. While it is, no other node takes over its plans. */
  readonly hasLease: boolean;
  /** The log's time, in ms since the epoch: the same for every node. */
  nowMs(): number;
  /** Whether another node's lease is valid. */
  isAlive(nodeId: string): Promise<boolean>;
  /** Registers `listener`, which is called with each heartbeat. */
  onBeat(listener: () => void): void;
}

/** The transfer of a plan from the node that owns it to a node that wants to decide on it. */
export interface PlanHandover {
  /**
   * Requests the release of a plan from its owner. The request stays stored until the owner reads
   * it.
   */
  request(nodeId: string, ref: PlanRef): Promise<void>;
  /** This node's plans that other nodes have requested. */
  requested(): Promise<readonly PlanRef[]>;
  /** Gives up the plan's ownership, if this node is still its owner. */
  release(nodeId: string, ref: PlanRef): Promise<void>;
  /** Tells the other nodes that a plan has changed. */
  announceChange(ref: PlanRef): void;
  /**
   * Registers listeners for messages of other nodes. Messages may be lost, so callers must poll
   * too.
   */
  listen(listeners: HandoverListeners): Unsubscribe;
}

/** Messages of other nodes. */
export interface HandoverListeners {
  readonly changed: (ref: PlanRef) => void;
  readonly requested: (ref: PlanRef) => void;
  /** Messages may have been lost, so any plan may have changed. */
  readonly missed: () => void;
}

/** The request that first used an idempotency key. */
export interface EarlierRequest {
  readonly planId: string;
  /** SHA-256 of the request, hex. */
  readonly requestHash: string;
}

/** A plan as stored in its rows. */
export interface LoadedPlan {
  readonly name: string;
  readonly description: string;
  readonly state: PlanState;
  readonly prepared: readonly PreparedStep[];
  /** Where the result of each ended step is stored, by step index. */
  readonly results: ReadonlyMap<number, ResultRef>;
  /** The node that owns the plan; absent: no owner. */
  readonly owner: string | undefined;
}

/** A step's result, with what its tool call recorded; a call that was never made recorded nothing. */
export interface StoredResult extends StepContext {
  readonly call?: Pick<ToolCallRecord, "caller" | "touched" | "status">;
}

/** A plan with pending changes. */
export interface AppendSource {
  readonly ref: PlanRef;
  takeUnit(): PlanUnit;
}

/** All changes of one plan that are written together. */
export interface PlanUnit {
  readonly ref: PlanRef;
  readonly sessionId: string;
  readonly entries: readonly LogEntry[];
  /** The plan's own row; absent when it does not change. */
  readonly plan: PlanState | undefined;
  /** The plan's owner from then on; absent: unchanged. */
  readonly owner: string | undefined;
  /** Running steps whose claim becomes durable. */
  readonly claimed: readonly StepState[];
  /** Indexes of steps that no longer run and whose claim was durable. */
  readonly ended: readonly number[];
}

/** One entry of a plan's log: the transitions that are written together. */
export interface LogEntry {
  /** Sequence of its first event. */
  readonly sequence: number;
  readonly events: readonly NewPlanEvent[];
  /** The changed steps, as they are after the entry. */
  readonly steps: readonly StepState[];
  /** Steps that it appends or revises. */
  readonly definitions: readonly PreparedStep[];
  /** The request that asked for those under an idempotency key. */
  readonly request: RevisionRequest | undefined;
  /** The end of an attempt, if the entry contains one. */
  readonly end: AttemptEnd | undefined;
  /** The approvals that it makes or changes, in order; the index of approvals shows them. */
  readonly approvals: readonly ApprovalChange[];
  /** The callers whose requests caused the events, in the events' order. */
  readonly origins: readonly EventsOrigin[];
}

/** The origin of some consecutive events of an entry: an entry may contain those of several requests. */
export interface EventsOrigin {
  /** Number of events. */
  readonly count: number;
  /** Absent: the service itself, such as when a deadline has passed. */
  readonly origin: Origin | undefined;
}

/** The results that an ended attempt leaves. */
export interface AttemptEnd {
  readonly step: PreparedStep;
  readonly context: StepContext | undefined;
  readonly toolCall: ToolCallRecord | undefined;
}

/** Work that is due without a request. */
export interface DueWork {
  readonly abandoned: readonly DueStep[];
  readonly overdue: readonly PlanRef[];
  /** Plans with an approval that is past its time and that the index shows as open. */
  readonly expired: readonly PlanRef[];
}

/** A running step whose owner is dead. */
export interface DueStep {
  /** As in the exceptions of {@link PlanReads.findDue}. */
  readonly key: string;
  /** The step, from the row. @throws when the row cannot be read. */
  read(): AbandonedStep;
}

/** Another node has written to the plan, so nothing of the unit was stored. */
export class PlanConflict extends Error {
  override readonly name = "PlanConflict";
}
