import * as z from "zod";
import { ON_FAILURE, PLAN_STATUSES } from "@steward/operations";
import { sessionFor } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type {
  Orchestrator,
  PlanDefinition,
  PlanRecord,
  QueryRuntimeContext,
} from "../../../plans/index.js";
import { checksOf, revisionsOf } from "../../journal.js";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../limits.js";
import { asPlanId } from "../../plan-ids.js";
import { planCheckMessage } from "../../plan-check-message.js";
import { present } from "../../../kernel/present.js";
import { definitionOf, planForkOf, stepsToAppendOf } from "../../rest/plans/plan-messages.js";
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
import { type CheckAnswer, checkAnswer, checkAnswerSchema } from "./check-answer.js";
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
  max_rows: maxRows.describe(
    "Rows that an answer with the step's result shows, unless asked otherwise",
  ),
  max_bytes: maxBytes.describe("Bytes of rows that such an answer shows, unless asked otherwise"),
});

const submission = z
  .strictObject({
    name: z.string().exactOptional().describe("Short name of a new plan, for people"),
    description: z.string().exactOptional().describe("Purpose of a new plan"),
    steps: z
      .array(stepInput)
      .describe(
        "The steps, 1 to 1000; with fork_of_plan_id those to append, possibly none; with finish_plan_id none",
      ),
    append_to_plan_id: z
      .string()
      .exactOptional()
      .describe(
        "Id of a plan that is not over: the steps are added to it instead of making a new plan, and may depend on " +
          "its steps. Leave it out for a new plan",
      ),
    fork_of_plan_id: z
      .string()
      .exactOptional()
      .describe(
        "Id of a plan, also of one that is over: the new plan has its steps, and its completed steps keep their results " +
          "and do not run again. Leave it out otherwise",
      ),
    fork_at_step_id: z
      .string()
      .exactOptional()
      .describe(
        "Only with fork_of_plan_id: the step to run anew, with those that depend on it. Correct it with execute_step",
      ),
    finish_plan_id: z
      .string()
      .exactOptional()
      .describe(
        "Id of a plan whose steps have all completed, and that needs no more: the plan is completed. steps is empty. " +
          "Leave it out otherwise",
      ),
    keep_open: z
      .boolean()
      .exactOptional()
      .describe(
        "Only for a new plan. true, the default here: when all steps have completed, the plan waits for further ones " +
          "until finish_plan_id or its deadline. false: it is completed then",
      ),
    on_failure: z
      .enum(ON_FAILURE)
      .exactOptional()
      .describe(
        "What a failed step does to a new plan. pause, the default here: the plan waits for you to correct the step. " +
          "fail: the plan ends",
      ),
    session_id: sessionId,
    dry_run: z
      .boolean()
      .exactOptional()
      .describe(
        "true: stores nothing, and tells in check what each step of a new plan would touch, whether policies permit it, what it " +
          "costs, and whether a budget would be exceeded",
      ),
    idempotency_key: z
      .string()
      .min(1)
      .max(IDEMPOTENCY_KEY_LENGTH_MAX)
      .exactOptional()
      .describe("Submitting the same steps again with the same key changes nothing"),
  })
  .refine(
    ({ steps, fork_of_plan_id: forkOf, finish_plan_id: finish }) =>
      steps.length > 0 || forkOf !== undefined || finish !== undefined,
    { path: ["steps"], error: "is empty: name at least one step" },
  )
  .refine(({ steps, finish_plan_id: finish }) => steps.length === 0 || finish === undefined, {
    path: ["steps"],
    error: "is not empty: a plan is finished without further steps",
  });

type Submission = z.output<typeof submission>;

/** Fields that can only be set when a plan is created. */
const FIELDS_OF_NEW_PLANS = [
  "name",
  "description",
  "keep_open",
  "on_failure",
  "session_id",
] as const;

/** Fields that name a plan. At most one of them is given. */
const PLAN_FIELDS = ["append_to_plan_id", "fork_of_plan_id", "finish_plan_id"] as const;

/** The tool that submits a plan, appends steps to one, forks or finishes one. */
export const SUBMIT_PLAN: McpTool = defineTool({
  name: "submit_plan",
  title: "Submit a plan, append steps to one, or finish it",
  description:
    "Stores a plan of SQL steps that depend on each other. Every statement is checked; nothing runs yet. If anything " +
    "is wrong, nothing is stored and the details name every field to correct: correct them all and submit again. " +
    "Then call execute_step for the ready_steps. You need not know all steps in advance: call it again with " +
    "append_to_plan_id to add steps that use what earlier ones found, also when all steps have run, and with finish_plan_id " +
    "when the plan needs no more. A step that fails does not end the plan: " +
    "correct it with execute_step. To see first what a plan may do and costs, use dry_run. To go on from a plan that is over, or to try another way without losing results, " +
    "use fork_of_plan_id. For a single statement use query instead.",
  annotations: ADDS,
  app: PLAN_APP_URI,
  operations: ["submitPlan", "appendSteps", "forkPlan", "finishPlan"],
  resolves: { append_to_plan_id: { names: "plan" }, fork_of_plan_id: { names: "plan" } },
  usage: "write_insert",
  input: submission,
  output: z.object({
    plan_id: planId.optional().describe("Id of the plan; absent with dry_run"),
    status: z.enum(PLAN_STATUSES).optional().describe("Status of the plan; absent with dry_run"),
    revision: z.int().optional().describe("1 for a new plan; every change of its steps adds one"),
    ready_steps: readySteps,
    check: checkAnswerSchema.optional().describe("Only with dry_run: what the plan would do"),
  }),
  run: async (input, { context, services: { orchestrator } }) => {
    const { idempotency_key: key } = input;
    if (input.dry_run === true) {
      return { ready_steps: [], check: await checked(orchestrator, input, context) };
    }
    const ctx = key === undefined ? context : { ...context, idempotencyKey: key };
    const plan = await planOf(orchestrator, input, ctx);
    return {
      plan_id: plan.planId,
      status: plan.status,
      ...present({ revision: plan.revision }),
      ready_steps: readyStepsOf(plan),
    };
  },
});

async function checked(
  orchestrator: Orchestrator,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<CheckAnswer> {
  const field = PLAN_FIELDS.find((name) => input[name] !== undefined);
  if (field !== undefined) throw invalidField(field, "leave it out: dry_run checks a new plan");
  const session = sessionFor(ctx, input.session_id ?? "");
  const check = await checksOf(orchestrator).checkPlan(session, definitionOfNew(input), ctx);
  return checkAnswer(planCheckMessage(check));
}

function planOf(
  orchestrator: Orchestrator,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  const { append_to_plan_id: appendTo, fork_of_plan_id: forkOf, fork_at_step_id: forkAt } = input;
  const [first, second] = PLAN_FIELDS.filter((name) => input[name] !== undefined);
  if (second !== undefined) {
    throw invalidField(second, `cannot be combined with ${first ?? ""}: choose one`);
  }
  if (forkAt !== undefined && forkOf === undefined) {
    throw invalidField("fork_at_step_id", "names a step of fork_of_plan_id, which is missing");
  }
  if (appendTo !== undefined) return appended(orchestrator, appendTo, input, ctx);
  if (forkOf !== undefined) return forked(orchestrator, forkOf, input, ctx);
  if (input.finish_plan_id !== undefined) {
    return finished(orchestrator, input.finish_plan_id, input, ctx);
  }
  return created(orchestrator, input, ctx);
}

/**
 * Creates the plan. A failed step of an LLM's plan waits for its correction, and the plan for further
 * steps, because the LLM decides after each step.
 */
function created(
  orchestrator: Orchestrator,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  const { session_id: session = "" } = input;
  return orchestrator.createPlan(sessionFor(ctx, session), definitionOfNew(input), ctx);
}

function definitionOfNew(input: Submission): PlanDefinition {
  const { name, description, steps, on_failure = "pause", keep_open = true } = input;
  return definitionOf({ ...present({ name, description }), steps, on_failure, keep_open });
}

async function appended(
  orchestrator: Orchestrator,
  givenId: string,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  refuseFieldsOfNewPlans(input, "append_to_plan_id");
  const id = asPlanId(givenId);
  await revisionsOf(orchestrator).appendSteps(id, stepsToAppendOf({ steps: input.steps }), ctx);
  return knownPlan(orchestrator, id, ctx);
}

async function forked(
  orchestrator: Orchestrator,
  givenId: string,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  refuseFieldsOfNewPlans(input, "fork_of_plan_id");
  const { steps, fork_at_step_id: step_id } = input;
  const fork = planForkOf({ steps, ...present({ step_id }) });
  const { planId } = await revisionsOf(orchestrator).forkPlan(asPlanId(givenId), fork, ctx);
  return knownPlan(orchestrator, planId, ctx);
}

async function finished(
  orchestrator: Orchestrator,
  givenId: string,
  input: Submission,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  refuseFieldsOfNewPlans(input, "finish_plan_id");
  const id = asPlanId(givenId);
  await revisionsOf(orchestrator).finishPlan(id, ctx);
  return knownPlan(orchestrator, id, ctx);
}

/** A name, a description and the like cannot be set when a plan is changed, forked or finished. */
function refuseFieldsOfNewPlans(input: Submission, given: string): void {
  const field = FIELDS_OF_NEW_PLANS.find((name) => input[name] !== undefined);
  if (field === undefined) return;
  throw invalidField(field, `belongs to a new plan: leave it out with ${given}`);
}

async function knownPlan(
  orchestrator: Orchestrator,
  planId: string,
  ctx: QueryRuntimeContext,
): Promise<PlanRecord> {
  const plan = await orchestrator.getPlan(planId, ctx);
  if (plan === undefined) throw new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`);
  return plan;
}
