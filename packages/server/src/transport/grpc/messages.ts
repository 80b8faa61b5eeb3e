import type * as proto from "@steward/protocol/grpc";
import type {
  LlmContextUpdate,
  PlanDefinition,
  PlanEvent,
  PlanPage,
  PlanRecord,
  PlanSummary,
  SchemaTableDelta,
  StepError,
  StepRecord,
  StepResult,
} from "../../plans/index.js";

/*
 * Converts between messages and domain values. Messages are object literals: the compiler checks
 * that no field is missing, and they take a third of the time of the library's `create`.
 */

/** The plan in a request. */
export function planDefinitionOf(request: proto.SubmitPlanRequest): PlanDefinition {
  return {
    name: request.name,
    description: request.description,
    steps: request.steps.map((step) => ({
      id: step.stepId,
      name: step.name,
      toolName: step.toolName,
      intent: step.intent,
      queryTemplate: step.queryTemplate,
      dependsOn: step.dependsOn,
      schemaTableHints: step.schemaTableHints,
    })),
  };
}

/** The response for a stored plan. */
export function submitPlanMessage({ planId, status }: PlanRecord): proto.SubmitPlanResponse {
  return { $typeName: "controlplane.v1.SubmitPlanResponse", planId, status };
}

/** The response for a cancelled plan. */
export function cancelPlanMessage(planId: string): proto.CancelPlanResponse {
  return { $typeName: "controlplane.v1.CancelPlanResponse", planId, status: "cancelled" };
}

/** The response for a reopened plan. */
export function retryPlanMessage({ planId, status }: PlanRecord): proto.RetryPlanResponse {
  return { $typeName: "controlplane.v1.RetryPlanResponse", planId, status };
}

/** The plan in the response of GetPlanStatus. */
export function planStatusMessage(plan: PlanRecord): proto.GetPlanStatusResponse {
  return {
    ...summaryFields(plan),
    $typeName: "controlplane.v1.GetPlanStatusResponse",
    steps: plan.steps.map(stepStatusMessage),
  };
}

export function planPageMessage({ plans, nextCursor }: PlanPage): proto.ListPlansResponse {
  return {
    $typeName: "controlplane.v1.ListPlansResponse",
    plans: plans.map(planSummaryMessage),
    nextCursor: nextCursor ?? "",
  };
}

/** The result of running a step. */
export function stepResultMessage(result: StepResult): proto.StepStatus {
  return {
    $typeName: "controlplane.v1.StepStatus",
    stepId: result.stepId,
    status: result.status,
    rowCount: BigInt(result.rowCount),
    executedAt: result.executedAt,
    attempt: result.attempt,
    ...errorField(result.error),
    name: "",
    toolName: "",
    intent: "",
    dependsOn: [],
    waitReason: "",
  };
}

/** The context update for the LLM. */
export function contextUpdateMessage(update: LlmContextUpdate): proto.LlmContextUpdate {
  return {
    $typeName: "controlplane.v1.LlmContextUpdate",
    planId: update.planId,
    stepId: update.stepId,
    toolOutputJson: update.toolOutputJson,
    schemaAdditions: update.schemaAdditions.map(schemaTableDeltaMessage),
    augmentationHints: [...update.augmentationHints],
  };
}

export function planEventMessage(event: PlanEvent): proto.PlanEvent {
  return {
    $typeName: "controlplane.v1.PlanEvent",
    planId: event.planId,
    eventType: event.eventType,
    payloadJson: event.payloadJson,
    timestamp: event.timestamp,
    sequence: BigInt(event.sequence),
  };
}

/** The fields that a plan's summary and its status share. */
type SummaryFields = Omit<proto.PlanSummary, "$typeName" | "$unknown">;

function summaryFields(plan: PlanSummary): SummaryFields {
  return {
    planId: plan.planId,
    status: plan.status,
    sessionId: plan.sessionId,
    name: plan.name,
    description: plan.description,
    createdAt: plan.createdAt,
    startedAt: plan.startedAt ?? "",
    finishedAt: plan.finishedAt ?? "",
  };
}

function planSummaryMessage(plan: PlanSummary): proto.PlanSummary {
  return { ...summaryFields(plan), $typeName: "controlplane.v1.PlanSummary" };
}

function stepStatusMessage(step: StepRecord): proto.StepStatus {
  return {
    $typeName: "controlplane.v1.StepStatus",
    stepId: step.stepId,
    status: step.status,
    rowCount: BigInt(step.rowCount ?? 0),
    executedAt: step.executedAt ?? "",
    attempt: step.attempt,
    ...errorField(step.error),
    name: step.name,
    toolName: step.toolName,
    intent: step.intent,
    dependsOn: [...step.dependsOn],
    waitReason: step.waitReason ?? "",
  };
}

function errorField(error: StepError | undefined): { error?: proto.StepError } {
  if (error === undefined) return {};
  const { code, message } = error;
  return { error: { $typeName: "controlplane.v1.StepError", code, message } };
}

function schemaTableDeltaMessage(delta: SchemaTableDelta): proto.SchemaTableDelta {
  return {
    $typeName: "controlplane.v1.SchemaTableDelta",
    tableName: delta.tableName,
    operation: delta.operation,
    tableDefJson: delta.tableDefJson,
  };
}
