import { operation } from "../operation.js";
import { onePlan, planState } from "./plan.js";

export const finishPlan = operation({
  name: "finishPlan",
  action: "plans:submit",
  audit: "plan log",
  summary: "Finish a plan that stays open",
  description:
    "Completes a plan that was submitted with keep_open, once all of its steps have completed. Repeating it is " +
    "harmless.",
  tag: "Plans",
  input: onePlan,
  output: planState,
  errors: [404, 409, 501],
  rest: {
    method: "POST",
    path: "/api/plans/{plan_id}/finish",
    impossibleIds: "unknown",
    answered: "The plan is completed",
  },
  grpc: { method: "ControlPlaneService/FinishPlan" },
  cli: {
    command: "plan finish",
    summary: "Completes a plan that stays open (keep_open), once its steps have run.",
    arguments: [{ member: "plan_id", name: "plan-id", description: "Id of the plan." }],
    print: "{status}",
  },
  retry: true,
});
