import type { AnnouncedToolCall } from "../governance/index.js";
import type { ToolCallRecord } from "../kernel/tool-call.js";
import { aauWeight, type AauWeight } from "./aau.js";
import type { Charge } from "./budgets.js";
import type { Nanodollars } from "./money.js";
import type { PricedCall, PriceList } from "./pricing.js";

/** One usage row (Contract §2.9). What happened and what it cost then: it never changes. */
export interface UsageEvent {
  /** UUID v4; of a tool call, the record's own. */
  readonly id: string;
  readonly orgId: string;
  readonly sessionId: string | undefined;
  readonly planId: string | undefined;
  readonly stepId: string | undefined;
  readonly toolName: string;
  readonly intent: string;
  /** Which rule decided the intent (Decision §7). */
  readonly intentSource: string;
  readonly aauWeight: AauWeight;
  readonly ormModel: string | undefined;
  /** Frozen when the row was written: a later price changes nothing here. */
  readonly cost: Nanodollars;
  /** The price it was computed from; absent when none applied. */
  readonly priceId: string | undefined;
  /** Milliseconds since the epoch: when the call ended. Reports count it on that day. */
  readonly occurredAtMs: number;
  /** Milliseconds since the epoch: when this server learnt of it. */
  readonly createdAtMs: number;
  /** Where an event from outside came from; with `sourceEventId` unique for ever. */
  readonly source: string | undefined;
  readonly sourceEventId: string | undefined;
}

/** A correction of what an event cost. Rows are never edited: a new one says the difference. */
export interface UsageAdjustment {
  /** UUID v4. */
  readonly id: string;
  readonly eventId: string;
  /** The price that applies instead; absent when none does. */
  readonly priceId: string | undefined;
  /** To be added to the event's cost; may be negative, never zero. */
  readonly difference: Nanodollars;
  readonly createdAtMs: number;
}

/** What of a tool call's record makes its usage row. */
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

/** The row of a recorded tool call (Contract §4.5, recording rule 2), priced as of its own time. */
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

/** What of a call its price depends on. */
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

/** What a call will weigh and cost at this time. */
export function chargeOf(call: AnnouncedToolCall, prices: PriceList, nowMs: number): Charge {
  return {
    sessionId: call.sessionId,
    aau: aauWeight(call.intent),
    cost: prices.priceOf(pricedCallOf(call, nowMs)).cost,
  };
}
