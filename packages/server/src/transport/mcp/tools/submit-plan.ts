import * as z from "zod";
import { ON_FAILURE, PLAN_STATUSES } from "@steward/protocol/rest";
import { sessionFor } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type { Orchestrator, PlanRecord, QueryRuntimeContext } from "../../../plans/index.js";
import { revisionsOf } from "../../journal.js";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../limits.js";
import { asPlanId } from "../../plan-ids.js";
import { present } from "../../present.js";
import { definitionOf, stepsToAppendOf } from "../../rest/plans/plan-messages.js";
import { PLAN_APP_URI } from "../plan-app.js";
import { defineTool, type McpTool } from "../tool.js";
import {
  ADDS,
  dependsOn,
  intent,
  maxBytes,
  maxRows,
  planId,
  queryTemplate,
  sessionId,
  toolName,
} from "./fields.js";
import { readySteps, readyStepsOf } from "./plan-answer.js";

const stepInput = z.strictObject({
  id: z.string().describe("1 to 64 of A-Z, a-z, 0-9, _ and -; unique in the plan"),
  name: z.string().exactOptional().describe("What the step does, for people"),
  query_template: queryTemplate,
  intent: intent.exactOptional(),
  depends_on: dependsOn.exactOptional(),
  tool_name: toolName,
  schema_table_hints: z
    .array(z.string())
    .exactOptional()
    .describe("Tables whose definition is compared before and after the step"),
  max_rows: maxRows.describe(
    "Rows that an answer with the step's result shows, unless asked otherwise",
  ),
  max_bytes: maxBytes.describe("Bytes of rows that such an answer shows, unless asked otherwise"),
});

const submission = z.strictObject({
  name: z.string().exactOptional().describe("Short name of a new plan, for people"),
  description: z.string().exactOptional().describe("Purpose of a new plan"),
  steps: z.array(stepInput).min(1).describe("The steps, 1 to 1000"),
  append_to_plan_id: z
    .string()
    .exactOptional()
    .describe(
      "Id of a plan that is not over: the steps are added to it instead of making a new plan, and may depend on " +
        "its steps. Leave it out for a new plan",
    ),
  on_failure: z
    .enum(ON_FAILURE)
    .exactOptional()
    .describe(
      "What a failed step does to a new plan. pause, the default here: the plan waits for you to correct the step. " +
        "fail: the plan ends",
    ),
  session_id: sessionId,
  idempotency_key: z
    .string()
    .min(1)
    .max(IDEMPOTENCY_KEY_LENGTH_MAX)
    .exactOptional()
    .describe("Submitting the same steps again with the same key changes nothing"),
});

type Submission = z.output<typeof submission>;

/** Fields that can only be set when a plan is created. */
const FIELDS_OF_NEW_PLANS = ["name", "description", "on_failure", "session_id"] as const;

/** The tool that submits a plan or appends steps to one. */
export const SUBMIT_PLAN: McpTool = defineTool({
  name: "submit_plan",
  title: "Submit a plan, or append steps to one",
  description:
    "Stores a plan of SQL steps that depend on each other. Every statement is checked; nothing runs yet. If anything " +
    "is wrong, nothing is stored and the details name every field to correct: correct them all and submit again. " +
    "Then call execute_step for the ready_steps. You need not know all steps in advance: call it again with " +
    "append_to_plan_id to add steps that use what earlier ones found. A step that fails does not end the plan: " +
    "correct it with execute_step. For a single statement use query instead.",
  annotations: ADDS,
  app: PLAN_APP_URI,
  operations: ["submitPlan", "appendSteps"],
  usage: "write_insert",
  input: submission,
  output: z.object({
    plan_id: planId,
    status: z.enum(PLAN_STATUSES).describe("Status of the plan"),
    revision: z.int().optional().describe("1 for a new plan; every change of its steps adds one"),
    ready_steps: readySteps,
  }),
  run: async (input, { context, services: { orchestrator } }) => {
    const { idempotency_key: key } = input;
    const ctx = key === undefined ? context : { ...context, idempotencyKey: key };
    const plan = await (input.append_to_plan_id === undefined
      ? created(orchestrator, input, ctx)
      : appended(orchestrator, input.append_to_plan_id, input, ctx));
    return {
      plan_id: plan.planId,
      status: plan.status,
      ...present({ revision: plan.revision }),
      ready_steps: readyStepsOf(plan),
    };
  },
});

/**
 * Creates the plan. A failed step of an LLM's plan waits for its correction, because the LLM
 * decides after each step.
 */
function created(
  orchestrator: Orchestrator,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  const { name, description, steps, on_failure = "pause", session_id: session = "" } = input;
  const definition = definitionOf({ ...present({ name, description }), steps, on_failure });
  return orchestrator.createPlan(sessionFor(ctx, session), definition, ctx);
}

async function appended(
  orchestrator: Orchestrator,
  givenId: string,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  const field = FIELDS_OF_NEW_PLANS.find((name) => input[name] !== undefined);
  if (field !== undefined) {
    throw invalidField(field, "belongs to a new plan: leave it out with append_to_plan_id");
  }
  const id = asPlanId(givenId);
  await revisionsOf(orchestrator).appendSteps(id, stepsToAppendOf({ steps: input.steps }), ctx);
  const plan = await orchestrator.getPlan(id, ctx);
  if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${id}`);
  return plan;
}
