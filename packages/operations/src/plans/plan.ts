import * as z from "zod";
import type { Infer } from "../operation.js";
import { STEP_STATUSES, stepError } from "./step-execution.js";

/** The statuses of a plan (Decision §3). */
export const PLAN_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;

/** One of {@link PLAN_STATUSES}. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** The effect of a failed step: the plan ends, or the step waits for a revision (Decision §19). */
export const ON_FAILURE = ["fail", "pause"] as const;

/** One of {@link ON_FAILURE}. */
export type OnFailure = (typeof ON_FAILURE)[number];

/** The reasons why a plan does not go on: those of its steps, or that all of them have completed. */
export const PLAN_WAIT_REASONS = [
  "awaiting_approval",
  "awaiting_revision",
  "retry_backoff",
  "awaiting_steps",
] as const;

const dateTime = z.string().meta({ format: "date-time" });

export const PLAN_ID_EXAMPLE = "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21";

export const planId = z.string().describe("Id of the plan");

export const stepId = z.string().describe("Id of the step within its plan");

export const planStateShape = {
  plan_id: z.string().describe("Id of the plan, assigned by the service"),
  status: z.enum(PLAN_STATUSES).describe("Status of the plan"),
};

/** The answer to submitting or cancelling a plan. */
export const planState = z.object(planStateShape).meta({
  id: "PlanState",
  description: "A plan and its status",
  examples: [{ plan_id: PLAN_ID_EXAMPLE, status: "pending" }],
});

export type PlanState = Infer<typeof planState>;

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

/** A listed plan: everything but its steps. Timestamps are RFC 3339 in UTC. */
export const planSummary = z
  .object(planSummaryShape)
  .meta({ id: "PlanSummary", description: "A plan without its steps" });

export type PlanSummary = Infer<typeof planSummary>;

/** One step of a {@link Plan}. */
export const planStep = z
  .object({
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
    executed_at: dateTime
      .exactOptional()
      .describe("When the last attempt ended; absent until then"),
    /** The reason why a step that could run does not. */
    wait_reason: z
      .enum(["awaiting_approval", "retry_backoff", "awaiting_revision"])
      .exactOptional()
      .describe(
        "Why the step waits although its dependencies are completed, or why a failed one has not ended the plan; absent otherwise",
      ),
    error: stepError.exactOptional().describe("Why it failed; absent when it did not"),
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
  })
  .meta({ id: "PlanStep", description: "One step of a plan" });

export type PlanStep = Infer<typeof planStep>;

/** A plan and its steps, in the order submitted (Contract §2.3, Decision §9). */
export const plan = z
  .object({
    ...planSummaryShape,
    on_failure: z.enum(ON_FAILURE).exactOptional().describe("What a failed step does to the plan"),
    keep_open: z
      .boolean()
      .exactOptional()
      .describe("true: it stays open once all its steps have completed; absent otherwise"),
    wait_reason: z
      .enum(PLAN_WAIT_REASONS)
      .exactOptional()
      .describe(
        "Why the plan does not go on: a step waits, or all have completed and it waits for further ones; absent while a step runs or can be executed",
      ),
    forked_from: z
      .string()
      .exactOptional()
      .describe("Id of the plan that it was forked from; absent otherwise"),
    revision: z.int().exactOptional().describe("1 as submitted; each change of the steps adds one"),
    steps: z
      .array(planStep)
      .describe("The steps, in the order submitted, then in the order appended"),
  })
  .meta({
    id: "Plan",
    description: "A plan and its steps",
    examples: [
      {
        plan_id: PLAN_ID_EXAMPLE,
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

export type Plan = Infer<typeof plan>;

/** The input of operations that have no other parameter. */
export const onePlan = z
  .strictObject({ plan_id: planId })
  .meta({ examples: [{ plan_id: PLAN_ID_EXAMPLE }] });
