import * as z from "zod";
import { operation } from "../operation.js";
import { PLAN_ID_EXAMPLE, planId, stepId } from "./plan.js";
import { CHANGES, expectedRevision, planRevised } from "./plan-revised.js";
import { planStepFields } from "./step-definition.js";

export const reviseStep = operation({
  name: "reviseStep",
  action: "plans:submit",
  audit: "plan log",
  resolves: { step_id: { names: "step" } },
  summary: "Revise a step",
  description:
    "Gives a step that has not run, or failed, another definition, checked as a submission is. " +
    "A plan that failed runs on: its failed and skipped steps can be executed again.",
  tag: "Plans",
  input: z
    .strictObject({
      plan_id: planId,
      step_id: stepId,
      ...planStepFields,
      expected_revision: expectedRevision,
    })
    .meta({
      description: "What to change of a step; what is absent stays as it is",
      examples: [
        {
          plan_id: PLAN_ID_EXAMPLE,
          step_id: "customer",
          query_template:
            "SELECT full_name FROM customers WHERE id = {{step.open_orders.output[0].customer_id}}",
          expected_revision: 1,
        },
      ],
    }),
  output: planRevised,
  errors: [403, 404, 409, 413, 422, 501],
  rest: {
    ...CHANGES,
    ...{ method: "PATCH", path: "/api/plans/{plan_id}/steps/{step_id}", body: "ReviseStepRequest" },
    tooLargeFix: "shorten the statement",
    answered: "The plan is changed durably",
  },
  grpc: { method: "ControlPlaneService/ReviseStep" },
  retry: true,
});
