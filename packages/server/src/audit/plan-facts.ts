import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Origin } from "../kernel/origin.js";
import type { ToolCallRecord } from "../kernel/tool-call.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { AUDIT_EVENTS_MAX, AUDIT_TABLES_MAX } from "./limits.js";

/** A change in a plan's log, with the fields of the log that records are made of. */
export interface LoggedChange {
  readonly orgId: string;
  readonly planId: string;
  readonly sessionId: string;
  readonly events: readonly LoggedEvent[];
  /** The callers whose requests caused the events, in the events' order. */
  readonly origins: readonly { readonly count: number; readonly origin: Origin | undefined }[];
  /** The tool call that ended with the change. */
  readonly call: ToolCallRecord | undefined;
  /** The steps of a plan that the change creates, as JSON. */
  readonly definition: string | undefined;
}

/** One event of a change. */
export interface LoggedEvent {
  readonly sequence: number;
  readonly eventType: string;
  /** A JSON object. */
  readonly payload: unknown;
  readonly atMs: number;
}

/** The facts of a change: one for each request that is part of it. */
export function planFactsOf(change: LoggedChange): readonly AuditFact[] {
  const facts: AuditFact[] = [];
  let first = 0;
  for (const { count, origin } of change.origins) {
    const events = change.events.slice(first, first + count);
    for (let at = 0; at < events.length; at += AUDIT_EVENTS_MAX) {
      const part = events.slice(at, at + AUDIT_EVENTS_MAX);
      facts.push(factOf(change, part, origin));
    }
    first += count;
  }
  return facts;
}

/** The events with which attempts end; an attempt that was stopped while it ran has reached its tool too. */
const ENDS_OF_ATTEMPTS: ReadonlySet<string> = new Set([
  ...["PlanStepExecuted", "PlanStepCancelled", "PlanStepLeaseExpired"],
]);

/**
 * The first fact of a new plan contains the digest of its steps. The fact with the end of an
 * attempt contains the attempt's tool call.
 */
function factOf(
  change: LoggedChange,
  events: readonly LoggedEvent[],
  origin: Origin | undefined,
): AuditFact {
  const { orgId, planId, sessionId, call, definition } = change;
  const personal: Record<string, string> = {};
  if (sessionId !== "") personal["session"] = sessionId;
  const isCreated = definition !== undefined && events[0]?.sequence === 1;
  if (isCreated) personal["definition"] = definition;
  const told = events.map((event, index) => eventMembers(event, index, personal));
  const isEnd = events.some(({ eventType }) => ENDS_OF_ATTEMPTS.has(eventType));
  const own = isEnd ? call : undefined;
  const caller = origin ?? (own?.caller && { caller: own.caller, request: undefined });
  return {
    orgId,
    atMs: events.at(-1)?.atMs ?? NaN,
    kind: "plan.changed",
    subject: planId,
    origin: caller,
    detail: {
      events: told,
      ...(own === undefined ? {} : { call: callMembers(own, personal) }),
      ...(origin?.policyVersion === undefined ? {} : { policy_version: origin.policyVersion }),
    },
    personal,
  };
}

/**
 * Texts of events that are ids or words of the service, or names that the operator gave. Any other
 * text may contain what a caller wrote, such as a step's id, or values of a database.
 */
const PUBLIC_TEXTS: ReadonlySet<string> = new Set([
  ...["status", "intent", "data_source", "wait_reason"],
  ...["plan_id", "forked_from", "approval_id", "decision", "digest", "code"],
  ...["granted_by", "standing_until"],
]);

function eventMembers(
  { eventType, payload, sequence }: LoggedEvent,
  index: number,
  personal: Record<string, string>,
): Record<string, JsonValue> {
  const told: Record<string, JsonValue> = { type: eventType, sequence };
  // Only this program writes the payloads.
  for (const [name, value] of Object.entries(payload as Readonly<Record<string, JsonValue>>)) {
    const isPublic = typeof value === "number" || typeof value === "boolean";
    if (isPublic || (typeof value === "string" && PUBLIC_TEXTS.has(name))) told[name] = value;
    else if (name !== "session_id") {
      personal[`events.${String(index)}.${name}`] =
        typeof value === "string" ? value : JSON.stringify(value);
    }
  }
  return told;
}

/** A statement that begins with the word, after comments. */
const EXPLAIN = /^(?:\s|--.*\n|\/\*[^]*?\*\/)*explain\b/i;

function callMembers(
  call: ToolCallRecord,
  personal: Record<string, string>,
): Record<string, JsonValue> {
  const tables = call.touched?.tables.map(({ name }) => name) ?? [];
  personal["call.step_id"] = call.stepId;
  personal["call.tool_name"] = call.toolName;
  if (call.query !== "") personal["call.statement"] = call.query;
  if (call.error !== undefined) personal["call.error"] = call.error;
  return {
    event_id: call.eventId,
    data_source: call.dataSource,
    intent: call.intent,
    intent_source: call.intentSource,
    status: call.status,
    attempt: call.attempt,
    // The rows of an EXPLAIN are lines of a plan: none was read or changed.
    ...(EXPLAIN.test(call.query) ? { explains: true } : { row_count: call.rowCount }),
    duration_ms: call.durationMs,
    ...(tables.length === 0 ? {} : { tables: tables.slice(0, AUDIT_TABLES_MAX) }),
    ...(tables.length > AUDIT_TABLES_MAX ? { tables_more: tables.length - AUDIT_TABLES_MAX } : {}),
  };
}
