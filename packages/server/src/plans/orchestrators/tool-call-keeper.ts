import type { Clock } from "@steward/kernel/clock.js";
import { isUuid, type Ids } from "@steward/kernel/ids.js";
import { NAME_LENGTH_MAX } from "../../kernel/limits.js";
import { PLAN_DEADLINE_MS } from "../limits.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { isIntent } from "../../governance/index.js";
import type { PlanEngine } from "../engine/index.js";
import type { PreparedStep } from "../plan.js";

/** Records a tool call that a custom orchestrator has run. Durable when it resolves. */
export type KeepToolCall = (call: ToolCallRecord) => Promise<void>;

/**
 * Records tool calls in the log of the store. That log consists of plan logs, so each call becomes
 * a plan with one completed step. Transports do not show these plans; they show the plans of the
 * orchestrator in use.
 */
export function keepInStore(
  engine: PlanEngine,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): KeepToolCall {
  return async (made) => {
    const ref = { orgId: made.orgId, planId: ids.uuid() };
    // Some stores accept only UUIDs, but a custom orchestrator may use other ids.
    const call = isUuid(made.planId) ? made : { ...made, planId: ref.planId };
    const step = stepOf(call);
    const createdAtMs = clock.nowMs();
    await engine.createPlan({
      ref,
      sessionId: call.sessionId,
      name: made.planId.slice(0, NAME_LENGTH_MAX),
      description: "",
      steps: [step],
      createdAtMs,
      deadlineMs: createdAtMs + PLAN_DEADLINE_MS,
    });
    const claim = await engine.claimStep({ ...ref, stepId: step.id }, ref.planId);
    if (claim.kind !== "claimed") return;
    const { durationMs, rowCount, output: toolOutputJson } = call;
    const context = { toolOutputJson, schemaAdditions: [], augmentationHints: [] };
    await engine.finishStep(
      { ...ref, stepId: step.id, attempt: claim.attempt },
      call.status === "completed"
        ? { kind: "completed", rowCount, durationMs, context }
        : {
            kind: "failed",
            error: { code: "STEP_FAILED", message: call.error ?? "" },
            durationMs,
            context,
          },
      call,
    );
  };
}

function stepOf(call: ToolCallRecord): PreparedStep {
  const { stepId, toolName, intentSource, dataSource, query } = call;
  const intent = isIntent(call.intent) ? call.intent : "write_update";
  return {
    id: stepId,
    index: 0,
    name: stepId,
    toolName,
    intent,
    intentSource: intentSource === "explicit" || intentSource === "name" ? intentSource : "default",
    statementClass: intent,
    dataSource,
    queryTemplate: query,
    dependsOn: [],
    schemaTableHints: [],
    statement: { sql: query, binds: [] },
  };
}
