import type { Caller } from "@steward/kernel/caller.js";
import type { Unsubscribe } from "../kernel/event-bus.js";
import type { PlanEvent } from "./plan-events.js";
import type { PlanDefinition, PlanRecord, PlanStatus, StepExecution } from "./plan.js";

/** Who calls and for how long: the `ctx` of execute_step (Contract §4.3, Decision §2). */
export interface QueryRuntimeContext extends Caller {
  /** Correlates the log lines of one request. */
  readonly requestId: string;
  /** Milliseconds since the epoch after which the caller no longer waits. */
  readonly deadlineMs?: number;
  /** Aborted when the caller is gone or its deadline has passed. What was started still finishes. */
  readonly signal: AbortSignal;
  /** Has the request count against its organization's share until this work has settled too, whenever the caller leaves. */
  readonly counts?: (work: Promise<unknown>) => void;
  /** Same key and same body: the first answer again (Decision §4). Only createPlan looks at it. */
  readonly idempotencyKey?: string;
}

/**
 * The four operations every orchestrator provides (Contract §4.3). Each rejects with an AppError on
 * failure. Any other error that a custom one throws is passed on with its text, so it must hold no secret:
 * from `executeStep` as a step that ran and failed, from the others as `INTERNAL`. The last argument of each
 * says who asks: an implementation for several organizations must keep them apart by `ctx.orgId`,
 * and answer for another organization's plan as if it did not exist.
 */
export interface Orchestrator {
  /** Validates and stores a plan; resolves when it is durable, with status `pending`. */
  createPlan(
    sessionId: string,
    definition: PlanDefinition,
    ctx: QueryRuntimeContext,
  ): Promise<PlanRecord>;

  /** The plan as committed, or `undefined` when it is unknown. */
  getPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord | undefined>;

  /**
   * Runs a step, or joins the attempt under way, or returns the stored result of a finished one.
   * A step that ran and failed is a result, not an error; a step that may not run is an error.
   */
  executeStep(planId: string, stepId: string, ctx: QueryRuntimeContext): Promise<StepExecution>;

  /** Resolves when nothing of the plan runs any more and its end is durable. Repeating is harmless. */
  cancelPlan(planId: string, ctx: QueryRuntimeContext, reason?: string): Promise<void>;
}

/** Which plans a listing shows (Decision §9). */
export interface PlanFilter {
  readonly status?: PlanStatus;
  readonly sessionId?: string;
}

/** One page of a listing. */
export interface PageRequest {
  /** 1 to `PLANS_PAGE_MAX`. */
  readonly limit: number;
  /** Opaque; from the page before. */
  readonly cursor?: string;
}

/** A listed plan: everything but its steps. */
export type PlanSummary = Omit<PlanRecord, "steps">;

/** A page of plans, newest first. */
export interface PlanPage {
  readonly plans: readonly PlanSummary[];
  readonly nextCursor?: string;
}

/**
 * What an orchestrator may offer beyond the four operations (Decisions §6 and §9). Where one does
 * not, the transports answer `UNIMPLEMENTED` and everything else works.
 */
export interface PlanJournal {
  listPlans(filter: PlanFilter, page: PageRequest, ctx: QueryRuntimeContext): Promise<PlanPage>;

  /** A failed plan runs on, keeping its completed outputs. @returns the plan, `running` again. */
  retryPlan(planId: string, ctx: QueryRuntimeContext): Promise<PlanRecord>;

  /**
   * At most `limit` events with a greater sequence, in order; empty when there are none yet.
   * @throws AppError `PLAN_NOT_FOUND`; `CURSOR_OUT_OF_RANGE` when the cursor is beyond the log.
   */
  readEvents(
    planId: string,
    afterSequence: number,
    limit: number,
    ctx: QueryRuntimeContext,
  ): Promise<readonly PlanEvent[]>;

  /**
   * Has `wake` called whenever the plan may have new events. Only a hint: it may come late, twice or
   * not at all, so a reader also looks on its own now and then.
   */
  onPlanEvents(planId: string, wake: () => void): Unsubscribe;
}

/** Whether an orchestrator offers the journal too. */
export function hasJournal(orchestrator: Orchestrator): orchestrator is Orchestrator & PlanJournal {
  const offered = orchestrator as Partial<PlanJournal>;
  return (
    typeof offered.listPlans === "function" &&
    typeof offered.retryPlan === "function" &&
    typeof offered.readEvents === "function" &&
    typeof offered.onPlanEvents === "function"
  );
}
