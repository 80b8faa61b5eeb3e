import * as z from "zod";
import { sessionFor } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import type { StepDefinition, StepExecution } from "../../../plans/index.js";
import { revisionsOf } from "../../journal.js";
import { actionOf } from "../../operations.js";
import { asPlanId, asStepId } from "../../plan-ids.js";
import { present } from "../../../kernel/present.js";
import { stepRevisionOf } from "../../rest/plans/plan-messages.js";
import { defineTool, type McpTool, type ToolScope } from "../tool.js";
import { correctionOfQuery, correctionOfStep } from "../../correction.js";
import { correctingCall, executingCall, readStepOn, resultCall } from "./correcting-call.js";
import {
  dataSource,
  dependsOn,
  intent,
  maxBytes,
  maxRows,
  offset,
  planId,
  queryTemplate,
  sessionId,
  timeoutMs,
  toolName,
} from "./fields.js";
import { inOwnFields } from "./own-fields.js";
import {
  type RowsRequest,
  type StepAnswer,
  stepAnswer,
  stepAnswerSchema,
  stepText,
} from "./step-answer.js";
import { awaitedApproval, executeStep } from "./waiting-step.js";

/** The name of the tool that reads on in what a statement has returned. */
export const GET_RESULT = "get_result";

/** Id of the only step of a plan that `query` creates. */
const QUERY_STEP = "query";

/** Annotations of a tool that runs statements. */
const RUNS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** Tools that run one statement, and read its result on. */
export const QUERY_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "query",
    title: "Run one SQL statement",
    description:
      "Runs one SQL statement and returns its rows. When it fails, correct it by the hints and call query again.",
    annotations: { ...RUNS, idempotentHint: false },
    operations: ["executeStep", "submitPlan"],
    usage: "step",
    input: z.strictObject({
      sql: z.string().min(1).describe("One statement in the dialect of the database"),
      intent: intent
        .exactOptional()
        .describe("Default read_select; admin changes schema or rights"),
      data_source: dataSource,
      max_rows: maxRows,
      timeout_ms: timeoutMs,
      tool_name: toolName,
      session_id: sessionId,
    }),
    output: stepAnswerSchema,
    text: stepText,
    run: (input, scope) =>
      runStatement(
        {
          ...{ name: "query", field: "sql", what: "statement", session: input.session_id },
          step: {
            toolName: input.tool_name ?? "",
            intent: input.intent ?? "read_select",
            queryTemplate: input.sql,
            ...present({ dataSource: input.data_source, timeoutMs: input.timeout_ms }),
          },
        },
        input,
        scope,
      ),
  }),
  defineTool({
    name: GET_RESULT,
    title: "Read on in the result of a query",
    description:
      "Returns further rows of a query whose answer has next_offset, or the result of one that a person has approved " +
      "by now. Nothing runs twice.",
    annotations: RUNS,
    operations: ["executeStep"],
    resolves: { step_id: { names: "step", default: QUERY_STEP } },
    usage: "step",
    input: z.strictObject({ plan_id: z.string(), offset, max_rows: maxRows }),
    output: stepAnswerSchema,
    text: stepText,
    run: async ({ plan_id, ...asked }, scope) =>
      queryAnswer(await executeStep(queryStep(asPlanId(plan_id)), scope), asked, QUERY),
  }),
];

/** A call of a tool that runs one statement. */
interface StatementCall {
  /** The name of the tool, and of the plan that it makes. */
  readonly name: string;
  /** The field of the tool that becomes the template of the step. */
  readonly field: string;
  /** What of the call to correct when it fails. */
  readonly what: string;
  readonly session?: string | undefined;
  readonly step: Pick<
    StepDefinition,
    "toolName" | "intent" | "queryTemplate" | "dataSource" | "timeoutMs"
  >;
}

/** The words about a failed call of `query`. */
const QUERY = { name: "query", what: "statement" };

/** Runs one statement as the only step of a plan. */
export async function runStatement(
  call: StatementCall,
  asked: RowsRequest,
  scope: ToolScope,
): Promise<StepAnswer> {
  const { context, services } = scope;
  const step = { ...call.step, id: QUERY_STEP, name: "", dependsOn: [], schemaTableHints: [] };
  const session = sessionFor(context, call.session ?? "");
  const definition = { name: call.name, description: "", steps: [step] };
  const plan = await inOwnFields(fieldOf(call), () =>
    services.orchestrator.createPlan(session, definition, context),
  );
  return queryAnswer(await executedOrEnded(plan.planId, scope), asked, call);
}

/** The only step of the plan that `query` has made. */
function queryStep(planId: string): Parameters<typeof executeStep>[0] {
  return { planId, stepId: QUERY_STEP, again: resultCall(planId) };
}

function queryAnswer(
  execution: StepExecution,
  asked: RowsRequest,
  call: Pick<StatementCall, "name" | "what">,
): StepAnswer {
  const { offset: first, max_rows } = asked;
  return stepAnswer(execution, {
    ...present({ offset: first, max_rows }),
    correction: ({ stepResult }) => correctionOfQuery(stepResult.error, call),
    readOn: ({ llmContextUpdate }) => resultCall(llmContextUpdate.planId),
  });
}

/** The tool that runs a step of a plan. */
export const STEP_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "execute_step",
    title: "Execute a step of a plan",
    description:
      "Executes one step of a plan whose dependencies are completed, and returns its rows. Calling it again for a " +
      "finished step runs nothing and returns the stored result; with offset it reads the rest of a long one. To correct " +
      "a step that failed, or to change one that has not run, give what changes, such as query_template.",
    annotations: RUNS,
    operations: ["executeStep"],
    usage: "step",
    input: z.strictObject({
      plan_id: planId,
      step_id: z.string().describe("Id of the step within its plan"),
      query_template: queryTemplate
        .exactOptional()
        .describe("A corrected statement for a step that failed or has not run; absent: as it is"),
      intent: intent.exactOptional().describe("A corrected intent; absent: as it is"),
      depends_on: dependsOn.exactOptional().describe("Corrected dependencies; absent: as they are"),
      data_source: dataSource.describe("A corrected database; absent: as it is"),
      timeout_ms: timeoutMs.describe("A corrected time limit in ms; absent: as it is"),
      tool_name: toolName.describe("A corrected tool; absent: as it is"),
      offset,
      max_rows: maxRows,
      max_bytes: maxBytes,
    }),
    output: stepAnswerSchema,
    text: stepText,
    run: async (input, scope) => {
      const { plan_id, step_id, offset: first, max_rows, max_bytes, ...changes } = input;
      const [plan, step] = [asPlanId(plan_id), asStepId(step_id)];
      const revised =
        Object.keys(changes).length > 0 ? await revise(plan, step, changes, scope) : scope;
      const again = executingCall(plan, step);
      const execution = await executeStep({ planId: plan, stepId: step, again }, revised);
      return stepAnswer(execution, {
        ...present({ offset: first, max_rows, max_bytes }),
        correction: ({ stepResult: { error } }) =>
          correctionOfStep({ stepId: step, error }, correctingCall(plan, step)),
        readOn: readStepOn,
      });
    },
  }),
];

/** The field of a tool for one of its plan, such as `sql` for `steps[0].query_template`. */
function fieldOf({ field: own }: StatementCall): (field: string) => string {
  return (field) => {
    const name = field.replace(/^steps\[0\]\.?/, "");
    return name === "" || name === "query_template" ? own : name;
  };
}

/**
 * Executes the step of a query. A refused query's plan is cancelled, because the agent does not
 * know the plan's id and cannot retry it.
 */
async function executedOrEnded(planId: string, scope: ToolScope): Promise<StepExecution> {
  try {
    return await executeStep(queryStep(planId), scope);
  } catch (refusal) {
    // A plan that waits for an approval is kept. The refusal contains its id, with which the agent
    // executes the step once it is approved.
    if (awaitedApproval(AppError.from(refusal)) !== undefined) throw refusal;
    await endUnlessRunning(planId, AppError.from(refusal), scope);
    throw refusal;
  }
}

/** The running step of an aborted query is stopped. */
async function endUnlessRunning(
  planId: string,
  { code }: AppError,
  { context, services: { orchestrator, log } }: ToolScope,
): Promise<void> {
  const isAborted = context.signal.aborted;
  // The abort of the call must not abort the cancellation too.
  const ctx = { ...context, signal: AbortSignal.timeout(DRAIN_MS) };
  try {
    const plan = await orchestrator.getPlan(planId, ctx);
    if (plan?.status !== "pending" && plan?.status !== "running") return;
    if (!isAborted && plan.steps.some(({ status }) => status === "running")) return;
    const reason = isAborted ? "the call was aborted" : `the query was refused: ${code}`;
    await orchestrator.cancelPlan(planId, ctx, reason);
  } catch (error) {
    // Without the cancellation the plan waits until its deadline. The caller still has to get the
    // refusal.
    log.warn({ err: error, planId }, "the plan of a refused query could not be cancelled");
  }
}

/**
 * Revises a step before it runs. Revising requires a permission that executing does not.
 * @returns the scope of its execution, in which an approval is for the step with the approved changes.
 */
async function revise(
  planId: string,
  stepId: string,
  changes: Parameters<typeof stepRevisionOf>[0],
  scope: ToolScope,
): Promise<ToolScope> {
  const { context, services } = scope;
  await services.authorize(context, actionOf("reviseStep"));
  const reviser = revisionsOf(services.orchestrator);
  const { revision } = await reviser.reviseStep(planId, stepId, stepRevisionOf(changes), context);
  const resolved = context.resolved?.map((name) =>
    name.names === "step" ? { ...name, id: String(revision) } : name,
  );
  return { ...scope, context: { ...context, ...present({ resolved }) } };
}
