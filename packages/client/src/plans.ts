import type {
  ClientOf,
  InputOf,
  OutputPageQuery,
  Plan,
  plans as operations,
  PlanState,
  PlanSummary,
  StepExecution,
  SubmitPlanRequest,
} from "@steward/operations";
import type { PlanEvent } from "@steward/protocol/rest";
import { PLANS } from "./gen/routes.js";
import type { Http } from "./http.js";
import { callsOf, keyHeader } from "./operations/operation-calls.js";
import { eachItem } from "./paging.js";
import { runPlan } from "./run-plan.js";
import type { RunOptions } from "./run-plan.js";
import { watchPlan } from "./watch-plan.js";
import type { WatchOptions } from "./watch-plan.js";

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface SubmitOptions extends CallOptions {
  /**
   * Repeating the request with the same key returns the first answer. Absent: a random key, which
   * makes automatic retries safe.
   */
  readonly idempotencyKey?: string;
}

export interface ExecuteOptions extends CallOptions {
  /** The part of the output to return; absent: what the step says, else all of it. */
  readonly page?: OutputPageQuery;
}

/** Plans: the routes under `/api/plans`. Calls reject with a StewardError. */
export interface Plans extends ClientOf<typeof operations, SubmitOptions> {
  /** Submits a plan; resolves when it is durable, with status `pending`. */
  submit(plan: SubmitPlanRequest, options?: SubmitOptions): Promise<PlanState>;
  /** All plans, newest first, fetched page by page; `limit` is the page size. */
  eachPlan(
    query?: InputOf<typeof operations.listPlans>,
    options?: CallOptions,
  ): AsyncIterable<PlanSummary>;
  /**
   * Runs a step. If an attempt is running, the call joins it; if the step is completed, the call
   * returns the stored result. So repeating the call is safe. A step that ran and failed is a
   * result (`step_result.status`), not an error. With `page` the answer has a part of the output, and
   * `llm_context_update.next_offset` is the offset of the next one.
   */
  execute(planId: string, stepId: string, options?: ExecuteOptions): Promise<StepExecution>;
  /**
   * The plan's events after a sequence number, until the plan is finished. Lost connections are
   * reopened.
   */
  watch(planId: string, options?: WatchOptions): AsyncIterable<PlanEvent>;
  /** Executes all steps in the order of their dependencies. */
  run(planId: string, options?: RunOptions): Promise<Plan>;
}

/** The operations of {@link Plans} that are one call each. */
export type PlanCalls = Omit<Plans, "eachPlan" | "run">;

/** Adds the operations that consist of several calls, whatever way the calls take. */
export function plansOf(calls: PlanCalls): Plans {
  return {
    ...calls,
    eachPlan: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { plans: items, next_cursor: next } = await calls.listPlans(page, options);
        return { items, next };
      }),
    run: (planId, options) => runPlan(calls, planId, options),
  };
}

export function createPlans(http: Http): Plans {
  const post = { method: "POST", path: "/api/plans", idempotent: true } as const;
  return plansOf({
    ...callsOf<typeof operations>(http, PLANS),
    submit: (plan, { idempotencyKey, signal } = {}) =>
      http.call({ ...post, body: plan, headers: keyHeader(idempotencyKey), signal }),
    checkPlan: (plan, { signal } = {}) =>
      http.call({ ...post, query: { dry_run: "true" }, body: plan, signal }),
    execute: (planId, stepId, { page = {}, signal } = {}) => {
      const path = `/api/plans/${encodeURIComponent(planId)}/steps/${encodeURIComponent(stepId)}/execute`;
      return http.call({ method: "POST", path, query: { ...page }, idempotent: true, signal });
    },
    watch: (planId, options) => watchPlan(http, planId, options),
  });
}
