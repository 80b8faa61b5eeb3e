import * as z from "zod";
import { operation } from "../operation.js";
import { PLAN_ID_EXAMPLE, planId } from "./plan.js";
import { CHANGES, expectedRevision, planRevised } from "./plan-revised.js";
import { planStepDef } from "./step-definition.js";

export const appendSteps = operation({
  name: "appendSteps",
  action: "plans:submit",
  audit: "plan log",
  resolves: { plan_id: { names: "plan" } },
  summary: "Append steps to a plan",
  description:
    "Checks the steps as a submission does and adds them to a plan that is not over. They may depend on the steps that there are.",
  tag: "Plans",
  input: z
    .strictObject({
      plan_id: planId,
      steps: z.array(planStepDef).describe("Steps to append; they may depend on any other step"),
      expected_revision: expectedRevision,
    })
    .meta({
      description: "Steps to append to a plan",
      examples: [
        {
          plan_id: PLAN_ID_EXAMPLE,
          steps: [
            {
              id: "items",
              intent: "read_select",
              query_template:
                "SELECT product FROM items WHERE order_id = {{step.open_orders.output[0].id}}",
              depends_on: ["open_orders"],
            },
          ],
          expected_revision: 1,
        },
      ],
    }),
  output: planRevised,
  errors: [403, 404, 409, 413, 422, 501],
  rest: {
    ...CHANGES,
    ...{ method: "POST", path: "/api/plans/{plan_id}/steps", body: "AppendStepsRequest" },
    tooLargeFix: "append fewer steps at once",
    answered: "The plan is changed durably",
  },
  grpc: { method: "ControlPlaneService/AppendSteps" },
  retry: true,
});
