import { operationTable } from "../operation.js";
import { appendSteps } from "./append-steps.js";
import { cancelPlan } from "./cancel-plan.js";
import { checkPlan } from "./check-plan.js";
import { finishPlan } from "./finish-plan.js";
import { forkPlan } from "./fork-plan.js";
import { getPlan } from "./get-plan.js";
import { getStep } from "./get-step.js";
import { listPlans } from "./list-plans.js";
import { retryPlan } from "./retry-plan.js";
import { reviseStep } from "./revise-step.js";

export { outputPageQuery as outputPageQuerySchema } from "./step-execution.js";
export { submitPlanRequest as submitPlanRequestSchema } from "./submitted-plan.js";

/** Plans (Contract §4.2, Decision §9), but for what is by hand: submitting them, executing steps, and their events. */
export const plans = operationTable({
  listPlans,
  getPlan,
  getStep,
  checkPlan,
  cancelPlan,
  retryPlan,
  appendSteps,
  reviseStep,
  forkPlan,
  finishPlan,
});
