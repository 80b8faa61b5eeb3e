import { randomUUID } from "node:crypto";
import { anonymousCaller, recordedCaller } from "@steward/kernel/caller.js";
import type { ToolCallRecord } from "../tool-call.js";

/** A tool-call record for tests: a successful read, with the given fields replaced. */
export function toolCallRecord(said: Partial<ToolCallRecord>): ToolCallRecord {
  return {
    eventId: randomUUID(),
    orgId: "11111111-1111-4111-8111-111111111111",
    sessionId: "s",
    planId: "p",
    stepId: "step",
    attempt: 1,
    caller: recordedCaller(anonymousCaller()),
    dataSource: "default",
    touched: undefined,
    toolName: "sql.query",
    intent: "read_select",
    kinds: ["read_select"],
    intentSource: "explicit",
    ormModel: undefined,
    status: "completed",
    rowCount: 1,
    error: undefined,
    query: "SELECT 1",
    output: "[1]",
    finishedAtMs: 0,
    durationMs: 1,
    ...said,
  };
}
