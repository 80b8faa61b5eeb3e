import type { InputOf, PlanCheck, SubmitPlanRequest } from "@steward/operations";
import { plans as operations } from "@steward/operations/plans";
import { sessionFor } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { PLANS_PAGE_DEFAULT } from "../../plans/limits.js";
import type { Orchestrator, QueryRuntimeContext } from "../../plans/index.js";
import { present } from "../../kernel/present.js";
import { checksOf, journalOf, revisionsOf, stepDetailsOf } from "../journal.js";
import { planCheckMessage } from "../plan-check-message.js";
import { asPlanId, asStepId } from "../plan-ids.js";
import {
  definitionOf,
  planForkOf,
  planMessage,
  planPageMessage,
  planRevisedMessage,
  stepDetailMessage,
  stepRevisionOf,
  stepsToAppendOf,
} from "../rest/plans/plan-messages.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations do that read plans as a whole. */
export function planReads(orchestrator: Orchestrator): readonly Implemented[] {
  return [
    implement(operations.listPlans, async ({ input, context }) => {
      const { status, session_id: sessionId, text, limit = PLANS_PAGE_DEFAULT, cursor } = input;
      const page = { limit, ...present({ cursor }) };
      const filter = present({ status, sessionId, text });
      return planPageMessage(await journalOf(orchestrator).listPlans(filter, page, context));
    }),
    implement(operations.getPlan, async ({ input, context }) => {
      const planId = asPlanId(input.plan_id);
      const plan = await orchestrator.getPlan(planId, context);
      if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
      return planMessage(plan);
    }),
  ];
}

/** What the other operations on plans do. */
export function planChanges(orchestrator: Orchestrator): readonly Implemented[] {
  return [
    implement(operations.cancelPlan, async ({ input, context }) => {
      const planId = asPlanId(input.plan_id);
      await orchestrator.cancelPlan(planId, context);
      return { plan_id: planId, status: "cancelled" as const };
    }),
    implement(operations.retryPlan, async ({ input, context }) => {
      const journal = journalOf(orchestrator);
      const { planId, status } = await journal.retryPlan(asPlanId(input.plan_id), context);
      return { plan_id: planId, status };
    }),
    implement(operations.appendSteps, async ({ input, context }) => {
      const planId = asPlanId(input.plan_id);
      const revisions = revisionsOf(orchestrator);
      return planRevisedMessage(
        await revisions.appendSteps(planId, stepsToAppendOf(input), context),
      );
    }),
    implement(operations.reviseStep, async ({ input, context }) => {
      const [planId, stepId] = idsOf(input);
      const revisions = revisionsOf(orchestrator);
      return planRevisedMessage(
        await revisions.reviseStep(planId, stepId, stepRevisionOf(input), context),
      );
    }),
    implement(operations.forkPlan, async ({ input, context }) => {
      const revisions = revisionsOf(orchestrator);
      return planRevisedMessage(
        await revisions.forkPlan(asPlanId(input.plan_id), planForkOf(input), context),
      );
    }),
    implement(operations.finishPlan, async ({ input, context }) => {
      const planId = asPlanId(input.plan_id);
      await revisionsOf(orchestrator).finishPlan(planId, context);
      return { plan_id: planId, status: "completed" as const };
    }),
    implement(operations.getStep, async ({ input, context }) => {
      const [planId, stepId] = idsOf(input);
      const detail = await stepDetailsOf(orchestrator).getStep(planId, stepId, context);
      if (detail === undefined) {
        throw new AppError("STEP_NOT_FOUND", `There is no step ${stepId} of a plan ${planId}`);
      }
      return stepDetailMessage(detail, input);
    }),
    implement(operations.checkPlan, async ({ input, context }) =>
      checkedPlan(orchestrator, input, context),
    ),
  ];
}

/** What a plan would do. */
export async function checkedPlan(
  orchestrator: Orchestrator,
  plan: SubmitPlanRequest,
  context: QueryRuntimeContext,
): Promise<PlanCheck> {
  const sessionId = sessionFor(context, plan.session_id ?? "");
  const checks = checksOf(orchestrator);
  return planCheckMessage(await checks.checkPlan(sessionId, definitionOf(plan), context));
}

function idsOf({
  plan_id,
  step_id,
}: Pick<InputOf<typeof operations.getStep>, "plan_id" | "step_id">): readonly [string, string] {
  return [asPlanId(plan_id), asStepId(step_id)];
}
