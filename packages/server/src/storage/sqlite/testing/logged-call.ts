import type { ToolCallRecord } from "../../../kernel/tool-call.js";
import { createPlan } from "../../../plans/transitions.js";
import { RECORDED_STEP } from "../../testing/record-tool-calls.js";
import type { Write } from "../commit-protocol.js";
import { newPlanWrites, unitWrites } from "../plans/plan-writes.js";

/** Writes a tool call to the log, without notifying anybody, as the call of a plan's only step. */
export function loggedCallWrites(toolCall: ToolCallRecord): readonly Write[] {
  const { orgId, eventId: planId, sessionId, finishedAtMs: createdAtMs } = toolCall;
  const ref = { orgId, planId };
  const texts = { sessionId, name: "plan", description: "" };
  const deadlineMs = Number.MAX_SAFE_INTEGER;
  const steps = [RECORDED_STEP];
  const plan = { ref, ...texts, steps, createdAtMs, deadlineMs };
  const { events, ...state } = createPlan({ ...ref, ...plan }, steps);
  const end = { step: RECORDED_STEP, context: undefined, toolCall };
  const entry = {
    sequence: state.lastSequence + 1,
    events: [],
    steps: [],
    definitions: [],
    approvals: [],
    request: undefined,
    origins: [],
    end,
  };
  const unit = { ref, sessionId, entries: [entry], plan: undefined, owner: undefined };
  return [
    ...newPlanWrites(plan, state, events),
    ...unitWrites({ ...unit, claimed: [], ended: [] }, createdAtMs),
  ];
}
