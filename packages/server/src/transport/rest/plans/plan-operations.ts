import type {
  OutputPageQuery,
  PlanState,
  StepExecution,
  SubmitPlanRequest,
} from "@steward/operations";
import { sessionFor } from "@steward/kernel/caller.js";
import type { Orchestrator, QueryRuntimeContext } from "../../../plans/index.js";
import { withCorrection } from "../../correction.js";
import { asPlanId, asStepId } from "../../plan-ids.js";
import { definitionOf, stepExecutionMessage } from "./plan-messages.js";

/** How a caller corrects a step: the call as this caller makes it. */
export type CorrectingCall = (planId: string, stepId: string) => string;

/** The step to execute, and the part of its output to answer with. */
export interface StepToExecute {
  readonly planId: string;
  readonly stepId: string;
  readonly page: OutputPageQuery;
}

/**
 * Stores a plan, from a checked request to the answer in the fields of REST (Contract §4.2). REST and calls within the
 * process share this function and the next one.
 */
export async function submittedPlan(
  orchestrator: Orchestrator,
  body: SubmitPlanRequest,
  ctx: QueryRuntimeContext,
): Promise<PlanState> {
  const sessionId = sessionFor(ctx, body.session_id ?? "");
  const plan = await orchestrator.createPlan(sessionId, definitionOf(body), ctx);
  return { plan_id: plan.planId, status: plan.status };
}

/** Executes a step. */
export async function executedStep(
  orchestrator: Orchestrator,
  step: StepToExecute,
  correctingCall: CorrectingCall,
  ctx: QueryRuntimeContext,
): Promise<StepExecution> {
  const [planId, stepId] = [asPlanId(step.planId), asStepId(step.stepId)];
  const execution = await orchestrator.executeStep(planId, stepId, ctx);
  const corrected = withCorrection(orchestrator, execution, correctingCall);
  return stepExecutionMessage(corrected, step.page);
}
