import { randomUUID } from "node:crypto";
import type { Budget, Price, UsageEvent } from "../../usage/ports.js";

/** A sample budget: 100 AAU a day, set by the organization itself. */
export function budgetSample(): Budget {
  return {
    id: randomUUID(),
    scope: "organization",
    unit: "aau",
    period: "day",
    limit: 100n,
    action: "block",
    setBy: "organization",
  };
}

/** A sample price: 7 nanodollars for each AAU, without a start. */
export function priceSample(over: Partial<Price> = {}): Price {
  return {
    id: "price",
    scope: "aau",
    subject: "",
    amount: 7n,
    fromMs: 0,
    untilMs: undefined,
    ...over,
  };
}

/** A sample usage row, as an external source reports it. */
export function externalSample(
  over: Pick<UsageEvent, "orgId" | "occurredAtMs"> & Partial<UsageEvent>,
): UsageEvent {
  return {
    id: randomUUID(),
    sessionId: undefined,
    planId: undefined,
    stepId: undefined,
    toolName: "sell",
    intent: "write_insert",
    intentSource: "explicit",
    aauWeight: 3,
    ormModel: undefined,
    cost: 0n,
    priceId: undefined,
    createdAtMs: over.occurredAtMs,
    source: "shop",
    sourceEventId: "1",
    ...over,
  };
}
