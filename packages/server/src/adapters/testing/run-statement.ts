import { NOBODY } from "@steward/kernel/testing/nobody.js";
import {
  StatementError,
  type AttemptRef,
  type SqlTarget,
  type StatementRequest,
  type StatementResult,
} from "../../plans/ports.js";

let steps = 0;

/** The first attempt of a new step. */
export function nextStep(orgId = "org"): AttemptRef {
  steps += 1;
  return { orgId, planId: "plan", stepId: `step-${steps}`, attempt: 1 };
}

/** The request of a new step to read, unless it is told otherwise. */
export function statementRequest(
  sql: string,
  over: Partial<StatementRequest> = {},
): StatementRequest {
  return {
    sql,
    binds: [],
    intent: "read_select",
    schemaTableHints: [],
    waitMs: 10_000,
    timeoutMs: 10_000,
    attempt: nextStep(),
    caller: NOBODY,
    ...over,
  };
}

export function runStatement(
  target: Pick<SqlTarget, "run">,
  sql: string,
  over: Partial<StatementRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<StatementResult> {
  return target.run(statementRequest(sql, over), signal);
}

/** What it failed with. */
export async function failureOf(failing: Promise<unknown>): Promise<StatementError> {
  try {
    await failing;
  } catch (error) {
    if (error instanceof StatementError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}
