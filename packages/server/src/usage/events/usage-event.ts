import type { AnnouncedToolCall } from "../../governance/index.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { aauWeight, type AauWeight } from "./aau.js";
import type { Charge } from "../budgets/budgets.js";
import type { Nanodollars } from "../money.js";
import type { PricedCall, PriceList } from "../prices/pricing.js";

/** A usage row (Contract §2.9): a tool call and its cost at that time. It is immutable. */
export interface UsageEvent {
  /** UUID v4; for a tool call, the id of its record. */
  readonly id: string;
  readonly orgId: string;
  readonly sessionId: string | undefined;
  readonly planId: string | undefined;
  readonly stepId: string | undefined;
  readonly toolName: string;
  readonly intent: string;
  /** The rule that classified the intent (Decision §7). */
  readonly intentSource: string;
  readonly aauWeight: AauWeight;
  readonly ormModel: string | undefined;
  /** Fixed when the row is written; later prices do not change it. */
  readonly cost: Nanodollars;
  /** The price applied; absent when there was none. */
  readonly priceId: string | undefined;
  /** End of the call, in ms since the epoch. Reports count it on that day. */
  readonly occurredAtMs: number;
  /** When this server received it, in ms since the epoch. */
  readonly createdAtMs: number;
  /** Source of an external event; unique for ever together with `sourceEventId`. */
  readonly source: string | undefined;
  readonly sourceEventId: string | undefined;
}

/** A correction of an event's cost. Rows are never edited; an adjustment states the difference. */
export interface UsageAdjustment {
  /** UUID v4. */
  readonly id: string;
  readonly eventId: string;
  /** The price that applies instead; absent when none does. */
  readonly priceId: string | undefined;
  /** The change of the event's cost; may be negative, but not zero. */
  readonly difference: Nanodollars;
  readonly createdAtMs: number;
}

/** The fields of a tool call's record that its usage row needs. */
export type RecordedCall = Pick<
  ToolCallRecord,
  | "eventId"
  | "orgId"
  | "sessionId"
  | "planId"
  | "stepId"
  | "toolName"
  | "intent"
  | "intentSource"
  | "ormModel"
  | "finishedAtMs"
>;

/**
 * The usage row of a recorded tool call (Contract §4.5, recording rule 2), priced as of the call's
 * own time.
 */
export function usageEventOf(call: RecordedCall, prices: PriceList): UsageEvent {
  const weight = aauWeight(call.intent);
  const priced = prices.priceOf(pricedCallOf(call, call.finishedAtMs));
  return {
    id: call.eventId,
    orgId: call.orgId,
    sessionId: call.sessionId,
    planId: call.planId,
    stepId: call.stepId,
    toolName: call.toolName,
    intent: call.intent,
    intentSource: call.intentSource,
    aauWeight: weight,
    ormModel: call.ormModel,
    cost: priced.cost,
    priceId: priced.priceId,
    occurredAtMs: call.finishedAtMs,
    createdAtMs: call.finishedAtMs,
    source: undefined,
    sourceEventId: undefined,
  };
}

/** The properties of a call that determine its price. */
export function pricedCallOf(
  call: Pick<ToolCallRecord, "toolName" | "intent" | "ormModel">,
  occurredAtMs: number,
): PricedCall {
  return {
    toolName: call.toolName,
    intent: call.intent,
    ormModel: call.ormModel,
    aauWeight: aauWeight(call.intent),
    occurredAtMs,
  };
}

/** The weight and cost of a call if it runs now. */
export function chargeOf(call: AnnouncedToolCall, prices: PriceList, nowMs: number): Charge {
  return {
    sessionId: call.sessionId,
    aau: aauWeight(call.intent),
    cost: prices.priceOf(pricedCallOf(call, nowMs)).cost,
  };
}
