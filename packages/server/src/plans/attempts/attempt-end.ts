import { type Caller, recordedCaller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { isReadIntent, recordedData, type TouchedData } from "../../governance/index.js";
import {
  type OutputSource,
  TOOL_CALL_OUTPUT_BYTES_MAX,
  type ToolCallRecord,
} from "../../kernel/tool-call.js";
import { contextOfFailure, contextOfResult } from "../context-update.js";
import { cutToBytes } from "../cut-text.js";
import { STEP_ATTEMPTS_MAX } from "../limits.js";
import type { PreparedStep, StepError } from "../plan.js";
import {
  StatementError,
  type AttemptRef,
  type StatementFailureReason,
  type StatementResult,
} from "../ports.js";
import type { StepOutcome } from "../transitions.js";
import { kindsOf } from "./permit-steps.js";

/** Bytes of the events, the record and the usage row of an attempt, roughly. */
const ATTEMPT_BYTES = 4096;

/** The end of an attempt, and the tool call to record if the attempt reached its tool. */
export interface AttemptEnd {
  readonly outcome: StepOutcome;
  readonly toolCall: ToolCallRecord | undefined;
  /** Why the attempt failed, if another one follows. */
  readonly retriedAfter?: StatementFailureReason | undefined;
  /** The reason why the step was released without being run; the caller may request it again. */
  readonly refusal?: AppError;
  /** The version of the policies that decided last; absent: it was decided before the attempt. */
  readonly policyVersion?: string | undefined;
}

/** An attempt that ran a statement, and the statement's result. */
export interface RanAttempt {
  readonly ref: AttemptRef;
  /** The attempts that count for retries, with this one; absent: all. */
  readonly tries?: number;
  readonly step: PreparedStep;
  readonly sessionId: string;
  /** The id of its tool call. */
  readonly eventId: string;
  /** Absent for a step whose process died. */
  readonly caller?: Caller;
  /** Absent when no policy depends on it. */
  readonly touched?: TouchedData | undefined;
  /** Absent for a step whose process died. */
  readonly boundSources?: readonly OutputSource[];
  readonly result: StatementResult | StatementError;
  readonly durationMs: number;
  readonly finishedAtMs: number;
}

/** The end of an attempt that ran its statement. */
export function endOfAttempt(ran: RanAttempt): AttemptEnd {
  const { result } = ran;
  const outcome = outcomeOf(ran);
  // A refused statement never reached its tool (Decision §7).
  if (result instanceof StatementError && result.reason === "intent") {
    return { outcome, toolCall: undefined };
  }
  const isRetried = result instanceof StatementError && outcome.kind === "retried";
  return {
    outcome,
    ...(isRetried ? { retriedAfter: result.reason } : {}),
    toolCall: toolCallOf(ran),
  };
}

/**
 * The outcome of a step that waited too long for its turn. It is released and can be requested
 * again.
 */
export function handedBack(waited: StatementError): AttemptEnd {
  return released(overloaded(waited));
}

/** The error of a statement that waited too long for its turn. */
export function overloaded({ message }: StatementError): AppError {
  return new AppError("OVERLOADED", message, { retryAfterMs: 1000 });
}

/** The outcome of a step that was not run. An authorized caller can request it. */
export function released(refusal: AppError): AttemptEnd {
  return { outcome: { kind: "released" }, toolCall: undefined, refusal };
}

/** A step that failed before it reached its tool. */
export function refused(error: StepError, hints: readonly string[] = []): AttemptEnd {
  return {
    outcome: {
      kind: "failed",
      error,
      durationMs: 0,
      context: contextOfFailure(hints),
    },
    toolCall: undefined,
  };
}

/**
 * Bytes that the end of an attempt has stored, roughly. The start of its output is also in the
 * record of the tool call and in the memory.
 */
export function attemptBytes(outcome: StepOutcome): number {
  const output = "context" in outcome ? outcome.context.toolOutputJson.length : 0;
  return ATTEMPT_BYTES + output + 2 * Math.min(output, TOOL_CALL_OUTPUT_BYTES_MAX);
}

function outcomeOf({ ref, tries, step, result, durationMs }: RanAttempt): StepOutcome {
  const timing = { durationMs: milliseconds(durationMs) };
  if (!(result instanceof StatementError)) {
    const { rowCount } = result;
    return { kind: "completed", rowCount, ...timing, context: contextOfResult(result) };
  }
  if (result.reason === "aborted") return { kind: "cancelled", ...timing };
  const error = stepErrorOf(result);
  if (mayRetry(result.reason, isReadIntent(step.intent), tries ?? ref.attempt)) {
    return { kind: "retried", error, ...timing };
  }
  return { kind: "failed", error, ...timing, context: contextOfFailure(result.hints) };
}

/**
 * Whether to retry a failed attempt (Decision §3). A read is retried when the cause may be
 * temporary, a write only when the engine proves that it was rolled back.
 */
function mayRetry(reason: StatementFailureReason, isRead: boolean, attemptsMade: number): boolean {
  if (attemptsMade >= STEP_ATTEMPTS_MAX) return false;
  return reason === "rolled_back" || (isRead && reason === "connection");
}

function stepErrorOf(failure: StatementError): StepError {
  const codes = {
    statement: "STEP_FAILED",
    intent: "POLICY_DENIED",
    timeout: "STEP_TIMEOUT",
    waited: "STEP_FAILED",
    aborted: "CANCELLED",
    rolled_back: "STEP_FAILED",
    connection: "STEP_FAILED",
    unknown: "OUTCOME_UNKNOWN",
  } as const satisfies Record<StatementFailureReason, StepError["code"]>;
  return { code: codes[failure.reason], message: failure.message };
}

function toolCallOf(ran: RanAttempt): ToolCallRecord {
  const { ref, step, sessionId, eventId, caller, touched, boundSources = [] } = ran;
  const { result, finishedAtMs } = ran;
  const failed = result instanceof StatementError;
  return {
    eventId,
    orgId: ref.orgId,
    sessionId,
    planId: ref.planId,
    stepId: ref.stepId,
    attempt: ref.attempt,
    caller: caller && recordedCaller(caller),
    toolName: step.toolName,
    dataSource: step.dataSource,
    touched: recordedData(touched),
    ...(boundSources.length === 0 ? {} : { boundSources }),
    intent: step.intent,
    kinds: kindsOf(step),
    intentSource: step.intentSource,
    ormModel: caller?.ormModel,
    status: failed ? (result.reason === "aborted" ? "cancelled" : "failed") : "completed",
    rowCount: failed ? 0 : result.rowCount,
    error: failed ? result.message : undefined,
    query: step.queryTemplate,
    output: failed ? "[]" : cutToBytes(result.outputJson, TOOL_CALL_OUTPUT_BYTES_MAX),
    finishedAtMs,
    durationMs: milliseconds(ran.durationMs),
  };
}

/** Rounds to tenths of a millisecond; more digits would be noise. */
function milliseconds(durationMs: number): number {
  return Math.round(durationMs * 10) / 10;
}
