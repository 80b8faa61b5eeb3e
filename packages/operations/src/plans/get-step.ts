import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { planId, PLAN_ID_EXAMPLE, planStep, stepId } from "./plan.js";
import { stepCheck } from "./plan-check.js";
import { planStepDef } from "./step-definition.js";
import { outputPage, stepExecution } from "./step-execution.js";

/** A value bound to a parameter of a statement. */
const stepValue = z
  .object({
    text: z
      .string()
      .nullable()
      .describe("The value, on SQLite as JSON, or its beginning; null for NULL"),
    bytes: z
      .int()
      .exactOptional()
      .describe("Bytes of the whole value, when text is only its beginning"),
  })
  .meta({ id: "StepValue", description: "A value bound to a parameter of a statement" });

export type StepValue = Infer<typeof stepValue>;

/** One step with everything that is known about it. */
const stepDetail = z
  .object({
    plan_id: z.string().describe("Id of the plan"),
    step: planStep.describe("The step as it is listed in its plan"),
    definition: planStepDef.describe("The step as submitted, or as last revised"),
    statement: z
      .string()
      .describe("What runs: SQL with a parameter for each placeholder, or the arguments of a tool"),
    values: z
      .array(stepValue)
      .readonly()
      .exactOptional()
      .describe(
        "Values of the parameters, in order; absent until the steps that they come from end",
      ),
    check: stepCheck.describe("What the policies decide about it for you now, and what it costs"),
    execution: stepExecution
      .exactOptional()
      .describe("The stored answer to its execution; absent until it has ended"),
  })
  .meta({
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

export type StepDetail = Infer<typeof stepDetail>;

// Reading a step needs the right to execute it, because the answer contains the step's output too.
export const getStep = operation({
  name: "getStep",
  action: "plans:execute",
  audit: "nothing",
  summary: "Read a step",
  description:
    "The step's template and statement with the bound values, what the policies decide about it for you now, " +
    "what an attempt costs, and the stored answer to its execution. Nothing runs. " +
    "max_rows, max_bytes and offset choose the part of the output, as in the execution of a step.",
  tag: "Plans",
  input: z
    .strictObject({ plan_id: planId, step_id: stepId, ...outputPage })
    .meta({ examples: [{ plan_id: PLAN_ID_EXAMPLE, step_id: "customer" }] }),
  output: stepDetail,
  errors: [404, 501],
  rest: {
    method: "GET",
    path: "/api/plans/{plan_id}/steps/{step_id}",
    impossibleIds: "unknown",
    answered: "The step as committed",
  },
});
