import type {
  InputOf,
  OutputOf,
  OutputPageQuery,
  Plan,
  PlanRevised as PlanRevisedMessage,
  plans as operations,
  PlanStep,
  PlanStepDef,
  PlanSummary as PlanSummaryMessage,
  StepDetail as StepDetailMessage,
  StepExecution as StepExecutionMessage,
  StepValue,
  SubmitPlanRequest,
} from "@steward/operations";
import type { PlanEvent as PlanEventMessage } from "@steward/protocol/rest";
import type {
  PlanDefinition,
  PlanEvent,
  PlanFork,
  PlanPage,
  PlanRecord,
  PlanRevised,
  PlanSummary,
  StepDefinition,
  StepDetail,
  StepExecution,
  StepRecord,
  StepRevision,
  StepsToAppend,
} from "../../../plans/index.js";
import { cutToBytes } from "../../../plans/index.js";
import type { SqlValue } from "../../../plans/ports.js";
import { VALUE_BYTES_SHOWN_MAX } from "../../limits.js";
import { stepCheckMessage } from "../../plan-check-message.js";
import { pagedExecution } from "../../paging/output-page.js";
import { present } from "../../../kernel/present.js";

/** The plan in a request body; absent fields become empty, as in gRPC. */
export function definitionOf(body: SubmitPlanRequest): PlanDefinition {
  return {
    name: body.name ?? "",
    description: body.description ?? "",
    ...present({ onFailure: body.on_failure, keepOpen: body.keep_open }),
    steps: body.steps.map(stepDefinitionOf),
  };
}

/** The steps that a request body asks to append. */
export function stepsToAppendOf(
  body: Omit<InputOf<typeof operations.appendSteps>, "plan_id">,
): StepsToAppend {
  return {
    steps: body.steps.map(stepDefinitionOf),
    expectedRevision: body.expected_revision,
  };
}

/** The changes of a step in a request body. */
export function stepRevisionOf(body: Partial<InputOf<typeof operations.reviseStep>>): StepRevision {
  return {
    changes: present({
      name: body.name,
      toolName: body.tool_name,
      dataSource: body.data_source,
      timeoutMs: body.timeout_ms,
      intent: body.intent,
      queryTemplate: body.query_template,
      dependsOn: body.depends_on,
      schemaTableHints: body.schema_table_hints,
      maxRows: body.max_rows,
      maxBytes: body.max_bytes,
    }),
    expectedRevision: body.expected_revision,
  };
}

/** How a request body forks a plan. */
export function planForkOf(body: Omit<InputOf<typeof operations.forkPlan>, "plan_id">): PlanFork {
  return { stepId: body.step_id, steps: (body.steps ?? []).map(stepDefinitionOf) };
}

/** The answer to a change of a plan's steps. */
export function planRevisedMessage({ planId, status, revision }: PlanRevised): PlanRevisedMessage {
  return { plan_id: planId, status, revision };
}

function stepDefinitionOf(step: PlanStepDef): StepDefinition {
  return {
    id: step.id,
    name: step.name ?? "",
    toolName: step.tool_name ?? "",
    intent: step.intent ?? "",
    queryTemplate: step.query_template ?? "",
    dependsOn: step.depends_on ?? [],
    schemaTableHints: step.schema_table_hints ?? [],
    ...present({
      dataSource: step.data_source,
      timeoutMs: step.timeout_ms,
      maxRows: step.max_rows,
      maxBytes: step.max_bytes,
    }),
  };
}

/** A plan in the answer of `GET /api/plans/:plan_id`. */
export function planMessage(plan: PlanRecord): Plan {
  return {
    ...planSummaryMessage(plan),
    ...present({
      on_failure: plan.onFailure,
      keep_open: plan.keepOpen,
      wait_reason: plan.waitReason,
      forked_from: plan.forkedFrom,
      revision: plan.revision,
    }),
    steps: plan.steps.map(planStepMessage),
  };
}

/** A page in the answer of `GET /api/plans`. */
export function planPageMessage({
  plans,
  nextCursor,
}: PlanPage): OutputOf<typeof operations.listPlans> {
  return { plans: plans.map(planSummaryMessage), ...present({ next_cursor: nextCursor }) };
}

function planSummaryMessage(plan: PlanSummary): PlanSummaryMessage {
  return {
    plan_id: plan.planId,
    status: plan.status,
    session_id: plan.sessionId,
    name: plan.name,
    description: plan.description,
    created_at: plan.createdAt,
    ...present({ started_at: plan.startedAt, finished_at: plan.finishedAt }),
  };
}

function planStepMessage(step: StepRecord): PlanStep {
  return {
    step_id: step.stepId,
    name: step.name,
    tool_name: step.toolName,
    intent: step.intent,
    depends_on: step.dependsOn,
    status: step.status,
    attempt: step.attempt,
    ...present({
      data_source: step.dataSource,
      timeout_ms: step.timeoutMs,
      revision: step.revision,
      row_count: step.rowCount,
      executed_at: step.executedAt,
      wait_reason: step.waitReason,
      error: step.error,
      max_rows: step.maxRows,
      max_bytes: step.maxBytes,
    }),
  };
}

/**
 * A step's result and context update (Contract §2.4, §2.5), with the asked part of its output.
 * @param whole with the call that corrects the step among its hints, if it failed.
 */
export function stepExecutionMessage(
  whole: StepExecution,
  { offset, max_rows: maxRows, max_bytes: maxBytes }: OutputPageQuery,
): StepExecutionMessage {
  const execution = pagedExecution(whole, { offset, maxRows, maxBytes });
  const { stepResult: result, llmContextUpdate: update, replayed } = execution;
  return {
    step_result: {
      step_id: result.stepId,
      status: result.status,
      row_count: result.rowCount,
      executed_at: result.executedAt,
      attempt: result.attempt,
      ...present({ error: result.error }),
    },
    llm_context_update: {
      plan_id: update.planId,
      step_id: update.stepId,
      tool_output_json: update.toolOutputJson,
      schema_additions: update.schemaAdditions.map((delta) => ({
        table_name: delta.tableName,
        operation: delta.operation,
        table_def_json: delta.tableDefJson,
      })),
      augmentation_hints: update.augmentationHints,
      ...present({ next_offset: execution.nextOffset }),
    },
    replayed,
  };
}

/** A step of `GET /api/plans/:plan_id/steps/:step_id`, with the asked part of its output. */
export function stepDetailMessage(detail: StepDetail, page: OutputPageQuery): StepDetailMessage {
  const { planId, record, prepared, values, check, execution } = detail;
  return {
    plan_id: planId,
    step: planStepMessage(record),
    definition: {
      id: prepared.id,
      name: prepared.name,
      tool_name: prepared.toolName,
      intent: prepared.intent,
      query_template: prepared.queryTemplate,
      depends_on: [...prepared.dependsOn],
      schema_table_hints: [...prepared.schemaTableHints],
      ...present({
        data_source: prepared.dataSourceBy === "step" ? prepared.dataSource : undefined,
        timeout_ms: prepared.timeoutMs,
        max_rows: prepared.maxRows,
        max_bytes: prepared.maxBytes,
      }),
    },
    statement: prepared.statement.sql,
    check: stepCheckMessage(check),
    ...present({
      values: values?.map(stepValueMessage),
      execution: execution && stepExecutionMessage(execution, page),
    }),
  };
}

function stepValueMessage(value: SqlValue): StepValue {
  const text = typeof value === "object" && value !== null ? value.text : value;
  if (text === null) return { text };
  const whole = String(text);
  const bytes = Buffer.byteLength(whole);
  if (bytes <= VALUE_BYTES_SHOWN_MAX) return { text: whole };
  return { text: cutToBytes(whole, VALUE_BYTES_SHOWN_MAX), bytes };
}

/** An event as the data of a server-sent event (Contract §2.6). */
export function planEventMessage(event: PlanEvent): PlanEventMessage {
  return {
    plan_id: event.planId,
    event_type: event.eventType,
    payload_json: event.payloadJson,
    timestamp: event.timestamp,
    sequence: event.sequence,
  };
}
