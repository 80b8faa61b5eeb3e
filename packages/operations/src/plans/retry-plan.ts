import { operation } from "../operation.js";
import { onePlan, planState } from "./plan.js";

export const retryPlan = operation({
  name: "retryPlan",
  action: "plans:retry",
  audit: "plan log",
  summary: "Retry a failed plan",
  description: "Completed steps keep their outputs; the others can be executed again.",
  tag: "Plans",
  input: onePlan,
  output: planState,
  errors: [404, 409, 501],
  rest: {
    method: "POST",
    path: "/api/plans/{plan_id}/retry",
    impossibleIds: "unknown",
    answered: "The plan runs again",
  },
  grpc: { method: "ControlPlaneService/RetryPlan" },
  retry: false,
});
