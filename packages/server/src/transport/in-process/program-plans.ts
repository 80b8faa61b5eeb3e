import { type Plans, plansOf } from "@steward/client";
import type { Caller } from "@steward/kernel/caller.js";
import {
  appendStepsRequestSchema,
  forkPlanRequestSchema,
  outputPageQuerySchema,
  planEventsQuerySchema,
  planPageQuerySchema,
  reviseStepRequestSchema,
  submitPlanRequestSchema,
} from "@steward/protocol/rest";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { followEvents } from "../follow-events.js";
import { journalOf } from "../journal.js";
import { asPlanId } from "../plan-ids.js";
import { planEventMessage } from "../rest/plans/plan-messages.js";
import { PlanOperations } from "../rest/plans/plan-operations.js";
import { plainCopy } from "./plain-copy.js";
import type { ProgramCall, ProgramCalls } from "./program-calls.js";
import { bodyCheck, queryCheck } from "./program-requests.js";

const checkedPlan = bodyCheck(submitPlanRequestSchema);
const checkedSteps = bodyCheck(appendStepsRequestSchema);
const checkedRevision = bodyCheck(reviseStepRequestSchema);
const checkedFork = bodyCheck(forkPlanRequestSchema);
const checkedPlanPage = queryCheck(planPageQuerySchema);
const checkedOutputPage = queryCheck(outputPageQuerySchema);
const checkedCursor = queryCheck(planEventsQuerySchema);

/** The request of an operation that has only ids. */
const idsOnly = (): undefined => undefined;

/** The plans of the embedding program, with the interface that a client's plans have. */
export function programPlans(calls: ProgramCalls, caller: Caller): Plans {
  const { orchestrator } = calls;
  const plans = new PlanOperations(orchestrator, correctingCall);
  const call = async <Input, Answer>(
    operation: string,
    request: Pick<ProgramCall<Input>, "params" | "input">,
    { signal, idempotencyKey }: Pick<ProgramCall<Input>, "signal" | "idempotencyKey"> = {},
    work: (input: Input, ctx: QueryRuntimeContext) => Promise<Answer>,
  ): Promise<Answer> => {
    const answer = await calls.call(
      { ...request, caller, operation, signal, idempotencyKey },
      work,
    );
    return plainCopy(answer);
  };

  return plansOf({
    submit: (plan, options) =>
      call("submitPlan", { input: checkedPlan(plan) }, options, (body, ctx) =>
        plans.submit(body, ctx),
      ),
    check: (plan, options) =>
      call("checkPlan", { input: checkedPlan(plan) }, options, (body, ctx) =>
        plans.check(body, ctx),
      ),
    list: (query = {}, options) =>
      call("listPlans", { input: checkedPlanPage(query) }, options, (page, ctx) =>
        plans.list(page, ctx),
      ),
    get: (plan_id, options) =>
      call("getPlan", { params: { plan_id }, input: idsOnly }, options, (_, ctx) =>
        plans.get(plan_id, ctx),
      ),
    execute: (plan_id, step_id, { page = {}, signal } = {}) => {
      const request = { params: { plan_id, step_id }, input: checkedOutputPage(page) };
      return call("executeStep", request, { signal }, (part, ctx) =>
        plans.execute(plan_id, step_id, part, ctx),
      );
    },
    getStep: (plan_id, step_id, { page = {}, signal } = {}) => {
      const request = { params: { plan_id, step_id }, input: checkedOutputPage(page) };
      return call("getStep", request, { signal }, (part, ctx) =>
        plans.getStep(plan_id, step_id, part, ctx),
      );
    },
    cancel: (plan_id, options) =>
      call("cancelPlan", { params: { plan_id }, input: idsOnly }, options, (_, ctx) =>
        plans.cancel(plan_id, ctx),
      ),
    append: (plan_id, steps, options) =>
      call(
        "appendSteps",
        { params: { plan_id }, input: checkedSteps(steps) },
        options,
        (body, ctx) => plans.append(plan_id, body, ctx),
      ),
    revise: (plan_id, step_id, changes, options) => {
      const request = { params: { plan_id, step_id }, input: checkedRevision(changes) };
      return call("reviseStep", request, options, (body, ctx) =>
        plans.revise(plan_id, step_id, body, ctx),
      );
    },
    fork: (plan_id, fork, options) =>
      call("forkPlan", { params: { plan_id }, input: checkedFork(fork) }, options, (body, ctx) =>
        plans.fork(plan_id, body, ctx),
      ),
    finish: (plan_id, options) =>
      call("finishPlan", { params: { plan_id }, input: idsOnly }, options, (_, ctx) =>
        plans.finish(plan_id, ctx),
      ),
    retry: (plan_id, options) =>
      call("retryPlan", { params: { plan_id }, input: idsOnly }, options, (_, ctx) =>
        plans.retry(plan_id, ctx),
      ),
    watch: (plan_id, { afterSequence: after_sequence = 0, signal } = {}) =>
      calls.stream(
        {
          ...{ caller, operation: "streamPlanEvents", params: { plan_id }, signal },
          input: checkedCursor({ after_sequence }),
        },
        async function* (_, ctx) {
          const journal = journalOf(orchestrator);
          const pages = followEvents(journal, asPlanId(plan_id), after_sequence, ctx);
          for await (const page of pages) yield page.map(planEventMessage);
        },
      ),
  });
}

/** The call that corrects a step, as a program makes it. */
function correctingCall(planId: string, stepId: string): string {
  return (
    `call plans.revise("${planId}", "${stepId}", changes) with a corrected query_template ` +
    "(also intent or depends_on where they were wrong), and execute the step again"
  );
}
