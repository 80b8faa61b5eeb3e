import type { Nanodollars } from "./money.js";
import type { UsageAdjustment, UsageEvent } from "./usage-event.js";

/** Sums of usage. */
export interface UsageTotals {
  readonly actionCount: number;
  /** Whole AAUs. */
  readonly totalAau: number;
  readonly totalCost: Nanodollars;
}

/** What one row adds to the totals, and where. */
export interface Posting extends UsageTotals {
  readonly orgId: string;
  readonly sessionId: string | undefined;
  readonly toolName: string;
  readonly intent: string;
  readonly aauWeight: number;
  readonly ormModel: string | undefined;
  readonly occurredAtMs: number;
}

/** An event counts as one action, with its weight and its frozen cost. */
export function postingOf(event: UsageEvent): Posting {
  return {
    ...placeOf(event),
    actionCount: 1,
    totalAau: event.aauWeight,
    totalCost: event.cost,
  };
}

/** An adjustment moves money only, on the day of the event it corrects. */
export function postingOfAdjustment(adjustment: UsageAdjustment, event: UsageEvent): Posting {
  return { ...placeOf(event), actionCount: 0, totalAau: 0, totalCost: adjustment.difference };
}

function placeOf(event: UsageEvent): Omit<Posting, keyof UsageTotals> {
  const { orgId, sessionId, toolName, intent, aauWeight, ormModel, occurredAtMs } = event;
  return { orgId, sessionId, toolName, intent, aauWeight, ormModel, occurredAtMs };
}

/** Nothing yet. */
export const NO_USAGE: UsageTotals = { actionCount: 0, totalAau: 0, totalCost: 0n };

/** Both together. */
export function addTotals(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    actionCount: a.actionCount + b.actionCount,
    totalAau: a.totalAau + b.totalAau,
    totalCost: a.totalCost + b.totalCost,
  };
}
