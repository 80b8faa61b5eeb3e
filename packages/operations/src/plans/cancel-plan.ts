import { operation } from "../operation.js";
import { onePlan, planState } from "./plan.js";

export const cancelPlan = operation({
  name: "cancelPlan",
  action: "plans:cancel",
  audit: "plan log",
  summary: "Cancel a plan",
  description:
    "Interrupts the running steps and answers when all of them have stopped. Repeating it is " +
    "harmless; a completed or failed plan cannot be cancelled.",
  tag: "Plans",
  input: onePlan,
  output: planState,
  errors: [404, 409, 501],
  rest: {
    method: "DELETE",
    path: "/api/plans/{plan_id}",
    impossibleIds: "unknown",
    answered: "The plan is cancelled",
  },
  cli: {
    command: "plan cancel",
    summary: "Cancels a plan and interrupts its running steps.",
    arguments: [{ member: "plan_id", name: "plan-id", description: "Id of the plan." }],
    print: "{status}",
  },
  retry: true,
});
