import * as z from "zod";
import type { Infer } from "../operation.js";
import { ON_FAILURE } from "./plan.js";
import { planStepDef } from "./step-definition.js";

// The schema checks shapes only; the service checks the plan itself.
/** The body of `POST /api/plans` (Contract §4.2). Absent fields are empty. */
export const submitPlanRequest = z
  .strictObject({
    /** Empty: the session of the `x-session-id` header. */
    session_id: z
      .string()
      .exactOptional()
      .describe("Session of the agent; empty: the x-session-id header"),
    name: z
      .string()
      .exactOptional()
      .describe("Name of the plan, for people; at most 255 characters"),
    description: z.string().exactOptional().describe("What the plan is for; at most 8 KiB"),
    on_failure: z
      .enum(ON_FAILURE)
      .exactOptional()
      .describe(
        "fail: a failed step ends the plan (the default); pause: it waits for its revision until the plan's deadline",
      ),
    keep_open: z
      .boolean()
      .exactOptional()
      .describe(
        "true: a plan whose steps have all completed stays running, and waits for further steps until it is finished, " +
          "cancelled or past its deadline; absent: it is completed then",
      ),
    steps: z.array(planStepDef).describe("1 to 1000 steps"),
  })
  .meta({
    id: "SubmitPlanRequest",
    description: "A plan to submit",
    examples: [
      {
        session_id: "session-42",
        name: "The latest open order",
        description: "Finds the latest open order and its customer",
        steps: [
          {
            id: "open_orders",
            name: "Find the latest open order",
            tool_name: "sql",
            intent: "read_select",
            query_template:
              "SELECT id, customer_id FROM orders WHERE status = 'open' ORDER BY ordered_at DESC LIMIT 1",
            depends_on: [],
            schema_table_hints: ["orders"],
          },
          {
            id: "customer",
            name: "Look up its customer",
            tool_name: "sql",
            intent: "read_select",
            query_template:
              "SELECT name FROM customers WHERE id = {{step.open_orders.output[0].customer_id}}",
            depends_on: ["open_orders"],
            schema_table_hints: [],
          },
        ],
      },
    ],
  });

export type SubmitPlanRequest = Infer<typeof submitPlanRequest>;

/** The query of `POST /api/plans`. */
export const submitPlanQuery = z.strictObject({
  dry_run: z
    .enum(["true", "false"])
    .exactOptional()
    .describe("true: tells what the plan would do (200, PlanCheck), and stores nothing"),
});
