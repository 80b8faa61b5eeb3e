import { createHash, randomBytes } from "node:crypto";
import { anonymousCaller, recordedCaller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { uuidV7 } from "@steward/kernel/ids.js";
import type { Intent } from "../../governance/index.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import type { PreparedStep } from "../../plans/index.js";
import type { AttemptRef, ClaimResult, NewPlan } from "../../plans/ports.js";
import type { StepOutcome } from "../../plans/transitions.js";

export const ORG = "11111111-1111-4111-8111-111111111111";
export const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

export function claimed(result: ClaimResult): ClaimResult & { readonly kind: "claimed" } {
  if (result.kind !== "claimed") throw new Error(`expected a claim, got ${result.kind}`);
  return result;
}

/** Plan ids are ordered in time, as the service makes them, even within one millisecond. */
let planCount = 0;

export function newPlan(
  clock: Clock,
  steps: readonly PreparedStep[],
  over: Partial<NewPlan>,
): NewPlan {
  planCount += 1;
  const createdAtMs = clock.nowMs();
  return {
    ref: { orgId: ORG, planId: uuidV7(planCount, randomBytes(10)) },
    sessionId: "session",
    name: "plan",
    description: "",
    steps: steps.map((prepared, index) => ({ ...prepared, index })),
    createdAtMs,
    deadlineMs: createdAtMs + 86_400_000,
    ...over,
  };
}

export function step(
  id: string,
  dependsOn: readonly string[] = [],
  over: { readonly intent?: Intent; readonly reads?: readonly string[] } = {},
): PreparedStep {
  const { intent = "read_select" } = over;
  return {
    id,
    index: 0,
    name: id,
    toolName: "sql",
    intent,
    intentSource: "explicit",
    statementClass: intent,
    dataSource: "default",
    queryTemplate: "SELECT 1",
    dependsOn,
    schemaTableHints: [],
    statement: {
      sql: "SELECT 1",
      binds: (over.reads ?? []).map((stepId) => ({ stepId, path: [], form: "value" })),
    },
  };
}

export function completed(
  context: Partial<Extract<StepOutcome, { kind: "completed" }>["context"]> = {},
): StepOutcome {
  return {
    kind: "completed",
    rowCount: 1,
    durationMs: 1.5,
    context: {
      toolOutputJson: "[]",
      schemaAdditions: [],
      augmentationHints: [],
      ...context,
    },
  };
}

export function failed(message: string): StepOutcome {
  return {
    kind: "failed",
    error: { code: "STEP_FAILED", message },
    durationMs: 1,
    context: { toolOutputJson: "[]", schemaAdditions: [], augmentationHints: ["look again"] },
  };
}

export function toolCall(attempt: AttemptRef): ToolCallRecord {
  return {
    ...attempt,
    caller: recordedCaller(anonymousCaller()),
    dataSource: "default",
    touched: undefined,
    eventId: uuidOf(`${attempt.planId} ${attempt.stepId} ${String(attempt.attempt)}`),
    sessionId: "session",
    toolName: "sql",
    intent: "read_select",
    kinds: ["read_select"],
    intentSource: "explicit",
    ormModel: undefined,
    status: "completed",
    rowCount: 1,
    error: undefined,
    query: "SELECT 1",
    output: "[]",
    finishedAtMs: 1_767_225_600_000,
    durationMs: 1.5,
  };
}

/** A UUID derived from a text. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
