import { intentOfToolName, isIntent } from "../../governance/index.js";
import type { Ids } from "@steward/kernel/ids.js";
import { NAME_LENGTH_MAX, SESSION_ID_LENGTH_MAX } from "../../kernel/limits.js";
import { aauWeight } from "./aau.js";
import { invalidArgument, parseInstant, requireDetail } from "../instant.js";
import type { PriceList } from "../prices/pricing.js";
import { pricedCallOf, type UsageEvent } from "./usage-event.js";

/** A tool call reported by another system as a CloudEvent 1.0. */
export interface ExternalEvent {
  /** Unique for ever together with `source`: an event that is reported again is ignored. */
  readonly id: string;
  readonly source: string;
  /** RFC 3339; absent: the time of receipt. A past event counts on the day of its time. */
  readonly time: string | undefined;
  readonly toolName: string;
  /** Absent: derived from the tool's name (Decision §7). */
  readonly intent: string | undefined;
  readonly sessionId: string | undefined;
  readonly ormModel: string | undefined;
}

/** Limit of events per request. */
const EXTERNAL_EVENTS_MAX = 1000;

/** Characters in a source, which is a URI (CloudEvents 1.0). */
const SOURCE_LENGTH_MAX = 1024;
/** Characters in the name of a model (Contract §2.9). */
const ORM_MODEL_LENGTH_MAX = 64;

/** How far another system's clock may be ahead of this server's clock, in ms. */
const CLOCK_AHEAD_MAX_MS = 5 * 60 * 1000;

/** Inputs for the usage rows of external events. */
export interface ExternalContext {
  readonly orgId: string;
  readonly prices: PriceList;
  readonly ids: Ids;
  readonly nowMs: number;
  /** The time from which on all usage rows are kept, in ms since the epoch. */
  readonly detailFromMs: number;
}

/**
 * Converts reported events to usage rows, priced as of the events' times.
 * @throws AppError `INVALID_ARGUMENT` naming the event and the field.
 */
export function externalUsage(
  events: readonly ExternalEvent[],
  context: ExternalContext,
): readonly UsageEvent[] {
  if (events.length > EXTERNAL_EVENTS_MAX) {
    throw invalidArgument("events", `at most ${String(EXTERNAL_EVENTS_MAX)} in one request`);
  }
  return events.map((event, index) => usageOf(event, `events[${String(index)}]`, context));
}

function usageOf(event: ExternalEvent, path: string, context: ExternalContext): UsageEvent {
  checkTexts(event, path);
  const occurredAtMs = timeOf(event, `${path}.time`, context.nowMs);
  // Whether an earlier event was reported before cannot be known, and none may count twice.
  requireDetail(`${path}.time`, occurredAtMs, context.detailFromMs);
  const { intent, intentSource } = intentOf(event, `${path}.data.intent`);
  const { toolName, ormModel } = event;
  const priced = context.prices.priceOf(pricedCallOf({ toolName, intent, ormModel }, occurredAtMs));
  return {
    id: context.ids.uuid(),
    orgId: context.orgId,
    sessionId: event.sessionId,
    planId: undefined,
    stepId: undefined,
    toolName,
    intent,
    intentSource,
    aauWeight: aauWeight(intent),
    ormModel,
    cost: priced.cost,
    priceId: priced.priceId,
    occurredAtMs,
    createdAtMs: context.nowMs,
    source: event.source,
    sourceEventId: event.id,
  };
}

/**
 * Checks texts that are stored, compared and displayed: they must not be empty, too long, or
 * undisplayable.
 */
function checkTexts(event: ExternalEvent, path: string): void {
  checkText(`${path}.id`, event.id, NAME_LENGTH_MAX);
  checkText(`${path}.source`, event.source, SOURCE_LENGTH_MAX);
  checkText(`${path}.data.tool_name`, event.toolName, NAME_LENGTH_MAX);
  const { sessionId, ormModel } = event;
  if (sessionId !== undefined) {
    checkText(`${path}.data.session_id`, sessionId, SESSION_ID_LENGTH_MAX);
  }
  if (ormModel !== undefined) checkText(`${path}.data.orm_model`, ormModel, ORM_MODEL_LENGTH_MAX);
}

function checkText(field: string, text: string, lengthMax: number): void {
  if (text === "") throw invalidArgument(field, "must not be empty");
  if (text.length > lengthMax) {
    throw invalidArgument(field, `must have at most ${String(lengthMax)} characters`);
  }
  if (CONTROL.test(text)) throw invalidArgument(field, "must not hold control characters");
}

const CONTROL = /[\u0000-\u001f\u007f]/;

function timeOf(event: ExternalEvent, field: string, nowMs: number): number {
  const ms = event.time === undefined ? nowMs : parseInstant(field, event.time);
  if (ms > nowMs + CLOCK_AHEAD_MAX_MS) throw invalidArgument(field, "is in the future");
  if (ms < 0) throw invalidArgument(field, "is before 1970");
  return ms;
}

function intentOf(
  event: ExternalEvent,
  field: string,
): Pick<UsageEvent, "intent" | "intentSource"> {
  if (event.intent !== undefined) {
    if (!isIntent(event.intent)) throw invalidArgument(field, "is not an intent");
    return { intent: event.intent, intentSource: "explicit" };
  }
  const named = intentOfToolName(event.toolName);
  return named === undefined
    ? { intent: "write_update", intentSource: "default" }
    : { intent: named, intentSource: "name" };
}
