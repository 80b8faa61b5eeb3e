import * as z from "zod";
import type { Message } from "./envelope.js";
import { planStateShape, planStepDefSchema, planStepFieldsShape } from "./plans.js";

const expectedRevision = z
  .int()
  .min(1)
  .exactOptional()
  .describe("The revision of the plan that you have read; absent: whichever it has");

const appendStepsRequestShape = {
  steps: z.array(planStepDefSchema).describe("Steps to append; they may depend on any other step"),
  expected_revision: expectedRevision,
};

/** The body of `POST /api/plans/:plan_id/steps` (Decision §19). */
export interface AppendStepsRequest extends Message<typeof appendStepsRequestShape> {}

export const appendStepsRequestSchema: z.ZodType<AppendStepsRequest> = z
  .strictObject(appendStepsRequestShape)
  .meta({
    id: "AppendStepsRequest",
    description: "Steps to append to a plan",
    examples: [
      {
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
  });

const reviseStepRequestShape = { ...planStepFieldsShape, expected_revision: expectedRevision };

/** The body of `PATCH /api/plans/:plan_id/steps/:step_id` (Decision §19). What is absent stays as it is. */
export interface ReviseStepRequest extends Message<typeof reviseStepRequestShape> {}

export const reviseStepRequestSchema: z.ZodType<ReviseStepRequest> = z
  .strictObject(reviseStepRequestShape)
  .meta({
    id: "ReviseStepRequest",
    description: "What to change of a step; what is absent stays as it is",
    examples: [
      {
        query_template:
          "SELECT full_name FROM customers WHERE id = {{step.open_orders.output[0].customer_id}}",
        expected_revision: 1,
      },
    ],
  });

const forkPlanRequestShape = {
  step_id: z
    .string()
    .exactOptional()
    .describe("The step to run anew, with those that depend on it; absent: none"),
  steps: z.array(planStepDefSchema).exactOptional().describe("Steps to append to the fork"),
};

/** The body of `POST /api/plans/:plan_id/fork` (Decision §19). */
export interface ForkPlanRequest extends Message<typeof forkPlanRequestShape> {}

export const forkPlanRequestSchema: z.ZodType<ForkPlanRequest> = z
  .strictObject(forkPlanRequestShape)
  .meta({
    id: "ForkPlanRequest",
    description: "How to fork a plan",
    examples: [{ step_id: "customer" }],
  });

const planRevisedShape = {
  ...planStateShape,
  revision: z.int().describe("Revision of the plan with the change"),
};

/** The answer to appending steps to a plan, revising one, or forking a plan. */
export interface PlanRevised extends Message<typeof planRevisedShape> {}

export const planRevisedSchema: z.ZodType<PlanRevised> = z.object(planRevisedShape).meta({
  id: "PlanRevised",
  description: "A plan whose steps were changed",
  examples: [{ plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21", status: "running", revision: 2 }],
});
