import type { Nanodollars } from "./money.js";
import type { UsageAdjustment, UsageEvent } from "./events/usage-event.js";

export interface UsageTotals {
  readonly actionCount: number;
  readonly totalAau: number;
  readonly totalCost: Nanodollars;
}

/** The amounts that a row adds, and the totals to which it adds them. */
export interface Posting extends UsageTotals {
  readonly orgId: string;
  readonly sessionId: string | undefined;
  readonly toolName: string;
  readonly intent: string;
  readonly aauWeight: number;
  readonly ormModel: string | undefined;
  readonly occurredAtMs: number;
}

/** An event counts as one action, with its weight and its cost. */
export function postingOf(event: UsageEvent): Posting {
  return {
    ...placeOf(event),
    actionCount: 1,
    totalAau: event.aauWeight,
    totalCost: event.cost,
  };
}

/** A correction changes only the cost, on the day of the event that it corrects. */
export function postingOfCorrection({
  event,
  adjustment,
}: {
  readonly event: UsageEvent;
  readonly adjustment: UsageAdjustment;
}): Posting {
  return { ...placeOf(event), actionCount: 0, totalAau: 0, totalCost: adjustment.difference };
}

function placeOf(event: UsageEvent): Omit<Posting, keyof UsageTotals> {
  const { orgId, sessionId, toolName, intent, aauWeight, ormModel, occurredAtMs } = event;
  return { orgId, sessionId, toolName, intent, aauWeight, ormModel, occurredAtMs };
}

export const NO_USAGE: UsageTotals = { actionCount: 0, totalAau: 0, totalCost: 0n };

/** The sum of two totals. */
export function addTotals(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    actionCount: a.actionCount + b.actionCount,
    totalAau: a.totalAau + b.totalAau,
    totalCost: a.totalCost + b.totalCost,
  };
}
