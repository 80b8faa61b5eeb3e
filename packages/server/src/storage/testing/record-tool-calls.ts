import { assert } from "@steward/kernel/assert.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { toolCallRecord } from "../../kernel/testing/tool-call-record.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PreparedStep } from "../../plans/index.js";
import type { PlanEngine } from "../../plans/index.js";

const IDS = systemIds(systemClock);

/** The attributes of a tool call that a test can choose. */
export type ChosenCall = Partial<ToolCallRecord> & { readonly orgId: string };

/**
 * Records tool calls in the way of the service: as ended attempts of a plan's steps.
 * @returns the records, in the order of the log.
 */
export async function recordToolCalls(
  plans: PlanEngine,
  calls: readonly ChosenCall[],
): Promise<readonly ToolCallRecord[]> {
  const records: ToolCallRecord[] = [];
  for (const call of calls) {
    const ref = { orgId: call.orgId, planId: IDS.uuid() };
    const createdAtMs = call.finishedAtMs ?? Date.parse("2026-01-05T12:00:00Z");
    await plans.createPlan({
      ref,
      sessionId: call.sessionId ?? "session",
      name: "plan",
      description: "",
      steps: [RECORDED_STEP],
      createdAtMs,
      deadlineMs: Number.MAX_SAFE_INTEGER,
    });
    const claim = await plans.claimStep({ ...ref, stepId: RECORDED_STEP.id }, "owner");
    assert(claim.kind === "claimed", "a new plan's step can be claimed");
    const record = recordOf(call, ref.planId, createdAtMs);
    await plans.finishStep(
      { ...ref, stepId: RECORDED_STEP.id, attempt: claim.attempt },
      {
        kind: "completed",
        rowCount: 1,
        durationMs: 1,
        context: { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: [] },
      },
      record,
    );
    records.push(record);
  }
  return records;
}

function recordOf(call: ChosenCall, planId: string, finishedAtMs: number): ToolCallRecord {
  return toolCallRecord({
    eventId: IDS.uuid(),
    sessionId: "session",
    planId,
    stepId: RECORDED_STEP.id,
    toolName: "sql",
    output: "[]",
    finishedAtMs,
    ...call,
  });
}

/** The only step of a recorded call's plan. */
export const RECORDED_STEP: PreparedStep = {
  id: "step",
  index: 0,
  name: "step",
  toolName: "sql",
  intent: "read_select",
  intentSource: "explicit",
  statementClass: "read_select",
  dataSource: "default",
  queryTemplate: "SELECT 1",
  dependsOn: [],
  schemaTableHints: [],
  statement: { sql: "SELECT 1", binds: [] },
};
