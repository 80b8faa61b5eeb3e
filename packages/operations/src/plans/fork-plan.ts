import * as z from "zod";
import { operation } from "../operation.js";
import { PLAN_ID_EXAMPLE, planId } from "./plan.js";
import { CHANGES, planRevised } from "./plan-revised.js";
import { planStepDef } from "./step-definition.js";

export const forkPlan = operation({
  name: "forkPlan",
  action: "plans:submit",
  audit: "plan log",
  resolves: { plan_id: { names: "plan" } },
  summary: "Fork a plan",
  description:
    "Makes a new plan of the plan's steps, whatever its status. Completed steps keep their outputs and are " +
    "not run again, but for the step that is named and those that depend on it.",
  tag: "Plans",
  input: z
    .strictObject({
      plan_id: planId,
      step_id: z
        .string()
        .exactOptional()
        .describe("The step to run anew, with those that depend on it; absent: none"),
      steps: z.array(planStepDef).exactOptional().describe("Steps to append to the fork"),
    })
    .meta({
      description: "How to fork a plan",
      examples: [{ plan_id: PLAN_ID_EXAMPLE, step_id: "customer" }],
    }),
  output: planRevised,
  errors: [403, 404, 413, 422, 501],
  rest: {
    ...CHANGES,
    ...{ method: "POST", path: "/api/plans/{plan_id}/fork", body: "ForkPlanRequest" },
    tooLargeFix: "append fewer steps at once",
    ...{ status: 201, location: "/api/plans/{plan_id}" },
    answered: "The new plan; Location names it",
  },
  grpc: { method: "ControlPlaneService/ForkPlan" },
  retry: true,
});
