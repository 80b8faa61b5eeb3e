import * as z from "zod";
import type { Message } from "./envelope.js";
import { STEP_STATUSES, stepErrorSchema } from "./steps.js";

/** The statuses of a plan (Decision §3). */
export const PLAN_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;

/** One of {@link PLAN_STATUSES}. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** The effect of a failed step: the plan ends, or the step waits for a revision (Decision §19). */
export const ON_FAILURE = ["fail", "pause"] as const;

/** One of {@link ON_FAILURE}. */
export type OnFailure = (typeof ON_FAILURE)[number];

/** Maximum number of plans on one page of a listing. */
export const PLAN_PAGE_MAX: number = 200;

/** Maximum length of the text that a listing searches for, in characters. */
const PLAN_TEXT_LENGTH_MAX = 256;

const dateTime = z.string().meta({ format: "date-time" });

/** The definition of a step without its id. */
export const planStepFieldsShape = {
  name: z.string().exactOptional().describe("Name of the step, for people"),
  tool_name: z
    .string()
    .exactOptional()
    .describe("The tool that runs the step; a name that is not listed is SQL"),
  data_source: z
    .string()
    .exactOptional()
    .describe(
      "The data source that it runs on; empty: that of a listed tool, else the default one of GET /api/catalog",
    ),
  timeout_ms: z
    .int()
    .exactOptional()
    .describe(
      "Time limit of one attempt in ms, from its turn at the data source on, at most the server's SERVICE_STEP_TIMEOUT_MS; " +
        "absent: the data source's, else the server's. The smallest one counts",
    ),
  intent: z
    .string()
    .exactOptional()
    .describe(
      "read_select, write_insert, write_update, write_delete, admin or cross_system_transaction; empty: derived from the statement",
    ),
  query_template: z
    .string()
    .exactOptional()
    .describe("One SQL statement; {{step.<id>.output}} binds the output of an earlier step"),
  depends_on: z
    .array(z.string())
    .exactOptional()
    .describe("Ids of the steps that must complete first, at most 100"),
  schema_table_hints: z
    .array(z.string())
    .exactOptional()
    .describe("Tables whose schema is compared before and after the step"),
  max_rows: z
    .int()
    .exactOptional()
    .describe(
      "Rows of the output that an answer hands to the LLM, 1 to 10000, unless its request says otherwise; absent: all",
    ),
  max_bytes: z
    .int()
    .exactOptional()
    .describe(
      "Bytes of the output that an answer hands to the LLM, 1024 to 2097152, unless its request says otherwise; absent: all",
    ),
};

const planStepDefShape = {
  id: z.string().describe("1 to 64 of A-Z, a-z, 0-9, _ and -; unique in the plan"),
  ...planStepFieldsShape,
};

/** One step as submitted (Contract §2.2, REST form). Absent fields are empty. */
export interface PlanStepDef extends Message<typeof planStepDefShape> {}

export const planStepDefSchema: z.ZodType<PlanStepDef> = z
  .strictObject(planStepDefShape)
  .meta({ id: "PlanStepDef", description: "One step as submitted" });

// The schema checks shapes only; the service checks the plan itself.
const submitPlanRequestShape = {
  /** Empty: the session of the `x-session-id` header. */
  session_id: z
    .string()
    .exactOptional()
    .describe("Session of the agent; empty: the x-session-id header"),
  name: z.string().exactOptional().describe("Name of the plan, for people; at most 255 characters"),
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
  steps: z.array(planStepDefSchema).describe("1 to 1000 steps"),
};

/** The body of `POST /api/plans` (Contract §4.2). Absent fields are empty. */
export interface SubmitPlanRequest extends Message<typeof submitPlanRequestShape> {}

export const submitPlanRequestSchema: z.ZodType<SubmitPlanRequest> = z
  .strictObject(submitPlanRequestShape)
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

/** The fields of {@link PlanState}. */
export const planStateShape = {
  plan_id: z.string().describe("Id of the plan, assigned by the service"),
  status: z.enum(PLAN_STATUSES).describe("Status of the plan"),
};

/** The answer to submitting or cancelling a plan. */
export interface PlanState extends Message<typeof planStateShape> {}

export const planStateSchema: z.ZodType<PlanState> = z.object(planStateShape).meta({
  id: "PlanState",
  description: "A plan and its status",
  examples: [{ plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21", status: "pending" }],
});

const planSummaryShape = {
  ...planStateShape,
  session_id: z
    .string()
    .describe("Session of the agent that submitted it; empty when it named none"),
  name: z.string().describe("Name of the plan"),
  description: z.string().describe("Purpose of the plan"),
  created_at: dateTime.describe("When it was submitted, in UTC"),
  started_at: dateTime.exactOptional().describe("When the first step began; absent until then"),
  finished_at: dateTime.exactOptional().describe("When the plan ended; absent until then"),
};

const planStepShape = {
  step_id: z.string().describe("Id of the step"),
  name: z.string().describe("Name of the step"),
  tool_name: z.string().describe("The tool that runs the step"),
  data_source: z
    .string()
    .exactOptional()
    .describe("The data source, or the tool that takes no SQL, that the step runs on"),
  timeout_ms: z
    .int()
    .exactOptional()
    .describe("Its own time limit of one attempt in ms; absent: none"),
  intent: z.string().describe("Intent of the step, declared or derived"),
  depends_on: z.array(z.string()).describe("Ids of the steps that must complete first"),
  status: z.enum(STEP_STATUSES).describe("Status of the step"),
  /** Attempts so far; 0 before the first. */
  attempt: z.int().describe("Attempts so far; 0 before the first"),
  revision: z
    .int()
    .exactOptional()
    .describe("Revision of the plan in which the step got its present definition"),
  row_count: z
    .int()
    .exactOptional()
    .describe("Number of rows that the step produced; absent until it has ended"),
  /** RFC 3339, UTC: the end of its last attempt. */
  executed_at: dateTime.exactOptional().describe("When the last attempt ended; absent until then"),
  /** The reason why a step that could run does not. */
  wait_reason: z
    .enum(["awaiting_approval", "retry_backoff", "awaiting_revision"])
    .exactOptional()
    .describe(
      "Why the step waits although its dependencies are completed, or why a failed one has not ended the plan; absent otherwise",
    ),
  error: stepErrorSchema.exactOptional().describe("Why it failed; absent when it did not"),
  max_rows: z
    .int()
    .exactOptional()
    .describe(
      "Rows of its output that an answer hands to the LLM, unless the request says otherwise; absent: all",
    ),
  max_bytes: z
    .int()
    .exactOptional()
    .describe(
      "Bytes of its output that an answer hands to the LLM, unless the request says otherwise; absent: all",
    ),
};

/** One step of a {@link Plan}. */
export interface PlanStep extends Message<typeof planStepShape> {}

export const planStepSchema: z.ZodType<PlanStep> = z
  .object(planStepShape)
  .meta({ id: "PlanStep", description: "One step of a plan" });

const planShape = {
  ...planSummaryShape,
  on_failure: z.enum(ON_FAILURE).exactOptional().describe("What a failed step does to the plan"),
  keep_open: z
    .boolean()
    .exactOptional()
    .describe("true: it stays open once all its steps have completed; absent otherwise"),
  wait_reason: z
    .literal("awaiting_steps")
    .exactOptional()
    .describe("Why a plan whose steps have all completed is running; absent otherwise"),
  forked_from: z
    .string()
    .exactOptional()
    .describe("Id of the plan that it was forked from; absent otherwise"),
  revision: z.int().exactOptional().describe("1 as submitted; each change of the steps adds one"),
  steps: z
    .array(planStepSchema)
    .describe("The steps, in the order submitted, then in the order appended"),
};

/** A plan and its steps, in the order submitted (Contract §2.3, Decision §9). */
export interface Plan extends Message<typeof planShape> {}

export const planSchema: z.ZodType<Plan> = z.object(planShape).meta({
  id: "Plan",
  description: "A plan and its steps",
  examples: [
    {
      plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
      status: "running",
      session_id: "session-42",
      name: "The latest open order",
      description: "Finds the latest open order and its customer",
      created_at: "2026-03-01T09:30:00.000Z",
      started_at: "2026-03-01T09:30:00.000Z",
      steps: [
        {
          step_id: "open_orders",
          name: "Find the latest open order",
          tool_name: "sql",
          data_source: "shop",
          intent: "read_select",
          depends_on: [],
          status: "completed",
          attempt: 1,
          row_count: 1,
          executed_at: "2026-03-01T09:30:00.000Z",
        },
      ],
    },
  ],
});

/** A listed plan: everything but its steps. Timestamps are RFC 3339 in UTC. */
export interface PlanSummary extends Message<typeof planSummaryShape> {}

const planSummarySchema: z.ZodType<PlanSummary> = z
  .object(planSummaryShape)
  .meta({ id: "PlanSummary", description: "A plan without its steps" });

const planPageShape = {
  plans: z.array(planSummarySchema).describe("The plans, the newest first"),
  /** For the `cursor` of the next request; absent on the last page. */
  next_cursor: z
    .string()
    .exactOptional()
    .describe("Cursor of the next page; absent on the last page"),
};

/** A page of plans, newest first. */
export interface PlanPage extends Message<typeof planPageShape> {}

export const planPageSchema: z.ZodType<PlanPage> = z.object(planPageShape).meta({
  id: "PlanPage",
  description: "A page of plans",
  examples: [
    {
      plans: [
        {
          plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
          status: "running",
          session_id: "session-42",
          name: "The latest open order",
          description: "Finds the latest open order and its customer",
          created_at: "2026-03-01T09:30:00.000Z",
          started_at: "2026-03-01T09:30:00.000Z",
        },
      ],
    },
  ],
});

const planPageQueryShape = {
  status: z.enum(PLAN_STATUSES).exactOptional().describe("Only plans with this status"),
  session_id: z.string().exactOptional().describe("Only plans of this session"),
  text: z
    .string()
    .max(PLAN_TEXT_LENGTH_MAX)
    .exactOptional()
    .describe(
      "Only plans with this text in their name, description, session or id; ASCII letters match in either case",
    ),
  /** 1 to {@link PLAN_PAGE_MAX}. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(PLAN_PAGE_MAX)
    .exactOptional()
    .describe("Plans on a page, 1 to 200; default 50"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
};

/** The query of `GET /api/plans` (Decision §9), values converted. */
export interface PlanPageQuery extends Message<typeof planPageQueryShape> {}

export const planPageQuerySchema: z.ZodType<PlanPageQuery> = z.strictObject(planPageQueryShape);
