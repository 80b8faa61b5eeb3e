import type {
  AppendStepsRequest,
  OutputPageQuery,
  ForkPlanRequest,
  Plan,
  PlanCheck,
  PlanEvent,
  PlanPage,
  PlanPageQuery,
  PlanRevised,
  PlanState,
  PlanSummary,
  ReviseStepRequest,
  StepDetail,
  StepExecution,
  SubmitPlanRequest,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
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
export interface Plans {
  /** Submits a plan; resolves when it is durable, with status `pending`. */
  submit(plan: SubmitPlanRequest, options?: SubmitOptions): Promise<PlanState>;
  /**
   * Tells what a plan would do: what each step touches, what the policies decide, and what it costs.
   * Stores nothing.
   */
  check(plan: SubmitPlanRequest, options?: CallOptions): Promise<PlanCheck>;
  get(planId: string, options?: CallOptions): Promise<Plan>;
  /** One page, newest first. */
  list(query?: PlanPageQuery, options?: CallOptions): Promise<PlanPage>;
  /** All plans, newest first, fetched page by page; `limit` is the page size. */
  listAll(query?: PlanPageQuery, options?: CallOptions): AsyncIterable<PlanSummary>;
  /**
   * Runs a step. If an attempt is running, the call joins it; if the step is completed, the call
   * returns the stored result. So repeating the call is safe. A step that ran and failed is a
   * result (`step_result.status`), not an error. With `page` the answer has a part of the output, and
   * `llm_context_update.next_offset` is the offset of the next one.
   */
  execute(planId: string, stepId: string, options?: ExecuteOptions): Promise<StepExecution>;
  /**
   * A step with its statement, bound values, policy decision, price and stored result. Nothing runs.
   */
  getStep(planId: string, stepId: string, options?: ExecuteOptions): Promise<StepDetail>;
  /** Cancels a plan. Resolves when none of its steps is running any more. */
  cancel(planId: string, options?: CallOptions): Promise<PlanState>;
  /** Appends steps to a plan that is not over. Retried automatically, and never appended twice. */
  append(planId: string, steps: AppendStepsRequest, options?: SubmitOptions): Promise<PlanRevised>;
  /**
   * Changes the definition of a step that has not run, or failed; members that `changes` leaves out stay as they are. A
   * failed plan runs on. Retried automatically.
   */
  revise(
    planId: string,
    stepId: string,
    changes: ReviseStepRequest,
    options?: SubmitOptions,
  ): Promise<PlanRevised>;
  /**
   * Makes a new plan of the plan's steps. Completed steps keep their outputs, but for the step that is
   * named and those that depend on it. Retried automatically.
   */
  fork(planId: string, fork: ForkPlanRequest, options?: SubmitOptions): Promise<PlanRevised>;
  /**
   * Completes a plan that was submitted with `keep_open`, once all of its steps have completed. Retried
   * automatically.
   */
  finish(planId: string, options?: CallOptions): Promise<PlanState>;
  /** Reopens a failed plan, which keeps its completed outputs. Not retried automatically. */
  retry(planId: string, options?: CallOptions): Promise<PlanState>;
  /**
   * The plan's events after a sequence number, until the plan is finished. Lost connections are
   * reopened.
   */
  watch(planId: string, options?: WatchOptions): AsyncIterable<PlanEvent>;
  /** Executes all steps in the order of their dependencies. */
  run(planId: string, options?: RunOptions): Promise<Plan>;
}

/** The operations of {@link Plans} that are one call each. */
export type PlanCalls = Omit<Plans, "listAll" | "run">;

/** Adds the operations that consist of several calls, whatever way the calls take. */
export function plansOf(calls: PlanCalls): Plans {
  return {
    ...calls,
    listAll: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { plans: items, next_cursor: next } = await calls.list(page, options);
        return { items, next };
      }),
    run: (planId, options) => runPlan(calls, planId, options),
  };
}

export function createPlans(http: Http): Plans {
  return plansOf({
    submit: (plan, options = {}) =>
      http.call({ method: "POST", path: "/api/plans", body: plan, ...keyed(options) }),
    check: (plan, { signal } = {}) => {
      const query = { dry_run: "true" };
      return http.call({
        method: "POST",
        path: "/api/plans",
        query,
        body: plan,
        idempotent: true,
        signal,
      });
    },
    get: (planId, { signal } = {}) =>
      http.call({ method: "GET", path: pathOf(planId), idempotent: true, signal }),
    list: (query = {}, { signal } = {}) =>
      http.call({
        method: "GET",
        path: "/api/plans",
        query: { ...query },
        idempotent: true,
        signal,
      }),
    execute: (planId, stepId, { page = {}, signal } = {}) => {
      const path = `${pathOf(planId)}/steps/${encodeURIComponent(stepId)}/execute`;
      return http.call({ method: "POST", path, query: { ...page }, idempotent: true, signal });
    },
    getStep: (planId, stepId, { page = {}, signal } = {}) => {
      const path = `${pathOf(planId)}/steps/${encodeURIComponent(stepId)}`;
      return http.call({ method: "GET", path, query: { ...page }, idempotent: true, signal });
    },
    cancel: (planId, { signal } = {}) =>
      http.call({ method: "DELETE", path: pathOf(planId), idempotent: true, signal }),
    append: (planId, steps, options = {}) =>
      http.call({
        method: "POST",
        path: `${pathOf(planId)}/steps`,
        body: steps,
        ...keyed(options),
      }),
    revise: (planId, stepId, changes, options = {}) =>
      http.call({
        method: "PATCH",
        path: `${pathOf(planId)}/steps/${encodeURIComponent(stepId)}`,
        body: changes,
        ...keyed(options),
      }),
    fork: (planId, fork, options = {}) =>
      http.call({ method: "POST", path: `${pathOf(planId)}/fork`, body: fork, ...keyed(options) }),
    finish: (planId, { signal } = {}) =>
      http.call({ method: "POST", path: `${pathOf(planId)}/finish`, idempotent: true, signal }),
    retry: (planId, { signal } = {}) =>
      http.call({ method: "POST", path: `${pathOf(planId)}/retry`, idempotent: false, signal }),
    watch: (planId, options) => watchPlan(http, planId, options),
  });
}

/** A request that may be repeated, because the server knows it by its key. */
function keyed({ idempotencyKey, signal }: SubmitOptions) {
  const headers = { "idempotency-key": idempotencyKey ?? crypto.randomUUID() };
  return { headers, idempotent: true, signal };
}

function pathOf(planId: string): string {
  return `/api/plans/${encodeURIComponent(planId)}`;
}
