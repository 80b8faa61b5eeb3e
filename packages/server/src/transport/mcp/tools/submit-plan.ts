import * as z from "zod";
import { ON_FAILURE, PLAN_STATUSES, type PlanStatus } from "@steward/operations";
import { sessionFor } from "@steward/kernel/caller.js";
import type { PlanDefinition, PlanRecord } from "../../../plans/index.js";
import { checksOf } from "../../journal.js";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../limits.js";
import { planCheckMessage } from "../../plan-check-message.js";
import { present } from "../../../kernel/present.js";
import { definitionOf } from "../../rest/plans/plan-messages.js";
import { PLAN_APP_URI } from "../plan-app.js";
import { defineTool, type McpTool } from "../tool.js";
import {
  ADDS,
  dataSource,
  dependsOn,
  intent,
  maxBytes,
  maxRows,
  planId,
  queryTemplate,
  sessionId,
  timeoutMs,
  toolName,
} from "./fields.js";
import { checkAnswer, checkAnswerSchema } from "./check-answer.js";
import { readySteps, readyStepsOf } from "./plan-answer.js";

const stepInput = z.strictObject({
  id: z.string().describe("1 to 64 of A-Z, a-z, 0-9, _ and -; unique in the plan"),
  name: z.string().exactOptional().describe("What the step does, for people"),
  query_template: queryTemplate,
  intent: intent.exactOptional(),
  depends_on: dependsOn.exactOptional(),
  data_source: dataSource,
  timeout_ms: timeoutMs,
  tool_name: toolName,
  schema_table_hints: z
    .array(z.string())
    .exactOptional()
    .describe("Tables whose definition is compared before and after the step"),
  max_rows: maxRows.describe("Rows that an answer with its result shows, unless asked otherwise"),
  max_bytes: maxBytes.describe("Bytes of rows that such an answer shows"),
});

/** The steps of a new plan, or those to append to one. */
export const stepsInput: z.ZodArray<typeof stepInput> = z
  .array(stepInput)
  .min(1, { error: "is empty: name at least one step" })
  .describe("The steps, 1 to 1000");

export const idempotencyKey: z.ZodExactOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(IDEMPOTENCY_KEY_LENGTH_MAX)
  .exactOptional()
  .describe("The same call again with the same key changes nothing");

const submission = z.strictObject({
  steps: stepsInput,
  name: z.string().exactOptional().describe("Short name, for people"),
  description: z.string().exactOptional().describe("Purpose of the plan"),
  keep_open: z
    .boolean()
    .exactOptional()
    .describe(
      "true, the default: after its last step the plan waits for append_steps or finish_plan. false: it is completed then",
    ),
  on_failure: z
    .enum(ON_FAILURE)
    .exactOptional()
    .describe(
      "pause, the default: the plan waits until you correct a failed step. fail: the plan ends",
    ),
  session_id: sessionId,
  dry_run: z
    .boolean()
    .exactOptional()
    .describe("true: stores nothing, and tells in check what each step would touch and cost"),
  idempotency_key: idempotencyKey,
});

type Submission = z.output<typeof submission>;

/** What an answer says about a plan that was submitted or revised. */
export const planState = {
  plan_id: planId,
  status: z.enum(PLAN_STATUSES).describe("Status of the plan"),
  revision: z.int().optional().describe("1 for a new plan; every change of its steps adds one"),
  ready_steps: readySteps,
};

/** The state of a plan, as the LLM reads it. */
interface PlanStateAnswer {
  readonly plan_id: string;
  readonly status: PlanStatus;
  readonly revision?: number | undefined;
  readonly ready_steps: readonly string[];
}

/** The state of a plan that was submitted or revised. */
export function stateOf(plan: PlanRecord): PlanStateAnswer {
  return {
    plan_id: plan.planId,
    status: plan.status,
    ...present({ revision: plan.revision }),
    ready_steps: readyStepsOf(plan),
  };
}

/** The tool that submits a plan. */
export const SUBMIT_PLAN: McpTool = defineTool({
  name: "submit_plan",
  title: "Submit a plan",
  description:
    "Stores a plan of SQL steps that depend on each other. Every statement is checked; nothing runs yet. If anything " +
    "is wrong, nothing is stored: correct every field that the error names. Then call execute_step for the " +
    "ready_steps. You need not know all steps in advance: append_steps adds more. For a single statement use query.",
  annotations: ADDS,
  app: PLAN_APP_URI,
  operations: ["submitPlan"],
  usage: "write_insert",
  input: submission,
  output: z.object({
    ...planState,
    plan_id: planState.plan_id.optional().describe("Id of the plan; absent with dry_run"),
    status: planState.status.optional().describe("Status of the plan; absent with dry_run"),
    check: checkAnswerSchema.optional().describe("Only with dry_run: what the plan would do"),
  }),
  run: async (input, { context, services: { orchestrator } }) => {
    const { idempotency_key: key } = input;
    const session = sessionFor(context, input.session_id ?? "");
    if (input.dry_run === true) {
      const check = await checksOf(orchestrator).checkPlan(session, definition(input), context);
      return { ready_steps: [], check: checkAnswer(planCheckMessage(check)) };
    }
    const ctx = key === undefined ? context : { ...context, idempotencyKey: key };
    return stateOf(await orchestrator.createPlan(session, definition(input), ctx));
  },
});

/**
 * A failed step of an LLM's plan waits for its correction, and the plan for further steps, because the LLM
 * decides after each step.
 */
function definition(input: Submission): PlanDefinition {
  const { name, description, steps, on_failure = "pause", keep_open = true } = input;
  return definitionOf({ ...present({ name, description }), steps, on_failure, keep_open });
}
