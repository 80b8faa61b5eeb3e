import { type Plans, plansOf, type SubmitOptions } from "@steward/client";
import type { Caller } from "@steward/kernel/caller.js";
import type { ClientOf } from "@steward/operations";
import {
  outputPageQuerySchema,
  type plans as operations,
  submitPlanRequestSchema,
} from "@steward/operations/plans";
import { planEventsQuerySchema } from "@steward/protocol/rest";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { followEvents } from "../follow-events.js";
import { journalOf } from "../journal.js";
import { planChanges, planReads } from "../operations/plans.js";
import { inputCheckOf } from "../operations/wires/request-parts.js";
import { asPlanId } from "../plan-ids.js";
import { planEventMessage } from "../rest/plans/plan-messages.js";
import { executedStep, submittedPlan } from "../rest/plans/plan-operations.js";
import { plainCopy } from "./plain-copy.js";
import type { ProgramCall, ProgramCalls } from "./program-calls.js";
import { bodyCheck, jsonCheck, queryCheck } from "./program-requests.js";

const checkedPlan = bodyCheck(submitPlanRequestSchema);
const checkedOutputPage = queryCheck(outputPageQuerySchema);
const checkedCursor = queryCheck(planEventsQuerySchema);

/** The plans of the embedding program, with the interface that a client's plans have. */
export function programPlans(calls: ProgramCalls, caller: Caller): Plans {
  const { orchestrator } = calls;
  const call = async <Input, Answer>(
    request: Omit<ProgramCall<Input>, "caller">,
    work: (input: Input, ctx: QueryRuntimeContext) => Promise<Answer>,
  ): Promise<Answer> => plainCopy(await calls.call({ caller, ...request }, work));

  const derived = [...planReads(orchestrator), ...planChanges(orchestrator)].map(
    ({ operation, run }) => {
      const check = jsonCheck(inputCheckOf(operation));
      return [
        operation.name,
        (input: object = {}, { signal, idempotencyKey }: SubmitOptions = {}) =>
          call(
            { input: check(input), operation: operation.name, signal, idempotencyKey },
            (checked, context) => run({ input: checked, context }),
          ),
      ];
    },
  );
  return plansOf({
    // The operations are those of the table.
    ...(Object.fromEntries(derived) as ClientOf<typeof operations, SubmitOptions>),
    submit: (plan, { signal, idempotencyKey } = {}) =>
      call(
        { input: checkedPlan(plan), operation: "submitPlan", signal, idempotencyKey },
        (body, ctx) => submittedPlan(orchestrator, body, ctx),
      ),
    execute: (planId, stepId, { page = {}, signal } = {}) =>
      call(
        {
          input: checkedOutputPage(page),
          ...{ operation: "executeStep", params: { plan_id: planId, step_id: stepId }, signal },
        },
        (part, ctx) =>
          executedStep(orchestrator, { planId, stepId, page: part }, correctingCall, ctx),
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
    `call plans.reviseStep({ plan_id: "${planId}", step_id: "${stepId}", … }) with a corrected query_template ` +
    "(also intent or depends_on where they were wrong), and execute the step again"
  );
}
