import * as z from "zod";
import type { Message } from "./envelope.js";
import { stepCheckSchema } from "./plan-checks.js";
import { planStepDefSchema, planStepSchema } from "./plans.js";
import { stepExecutionSchema } from "./steps.js";

const stepValueShape = {
  text: z
    .string()
    .nullable()
    .describe("The value, on SQLite as JSON, or its beginning; null for NULL"),
  bytes: z
    .int()
    .exactOptional()
    .describe("Bytes of the whole value, when text is only its beginning"),
};

/** A value bound to a parameter of a statement. */
export interface StepValue extends Message<typeof stepValueShape> {}

const stepValueSchema: z.ZodType<StepValue> = z
  .object(stepValueShape)
  .meta({ id: "StepValue", description: "A value bound to a parameter of a statement" });

const stepDetailShape = {
  plan_id: z.string().describe("Id of the plan"),
  step: planStepSchema.describe("The step as it is listed in its plan"),
  definition: planStepDefSchema.describe("The step as submitted, or as last revised"),
  statement: z
    .string()
    .describe("What runs: SQL with a parameter for each placeholder, or the arguments of a tool"),
  values: z
    .array(stepValueSchema)
    .readonly()
    .exactOptional()
    .describe("Values of the parameters, in order; absent until the steps that they come from end"),
  check: stepCheckSchema.describe(
    "What the policies decide about it for you now, and what it costs",
  ),
  execution: stepExecutionSchema
    .exactOptional()
    .describe("The stored answer to its execution; absent until it has ended"),
};

/** One step with everything that is known about it. */
export interface StepDetail extends Message<typeof stepDetailShape> {}

export const stepDetailSchema: z.ZodType<StepDetail> = z.object(stepDetailShape).meta({
  id: "StepDetail",
  description: "One step with everything that is known about it",
  examples: [
    {
      plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
      step: {
        step_id: "customer",
        name: "Look up its customer",
        tool_name: "sql",
        intent: "read_select",
        depends_on: ["open_orders"],
        status: "pending",
        attempt: 0,
      },
      definition: {
        id: "customer",
        name: "Look up its customer",
        tool_name: "sql",
        intent: "read_select",
        query_template:
          "SELECT name FROM customers WHERE id = {{step.open_orders.output[0].customer_id}}",
        depends_on: ["open_orders"],
        schema_table_hints: [],
      },
      statement: "SELECT name FROM customers WHERE id = ?1",
      values: [{ text: "7" }],
      check: {
        step_id: "customer",
        tool_name: "sql",
        data_source: "shop",
        intent: "read_select",
        statement_class: "read_select",
        tables: [],
        functions: [],
        verdict: "permit",
        policies: [{ id: "analyst-reads" }],
        aau: 1,
        hints: [],
      },
    },
  ],
});
