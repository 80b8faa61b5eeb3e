import { isoTime } from "../kernel/clock.js";
import { formatUsd, type Nanodollars } from "./money.js";
import { addTotals, NO_USAGE, type Posting, type UsageTotals } from "./posting.js";

/** A cap on usage. */
export interface Budget {
  /** UUID v4. */
  readonly id: string;
  /** The organization's usage all together, or each of its sessions for itself. */
  readonly scope: "organization" | "session";
  readonly unit: "aau" | "usd";
  /** UTC days and months; `total` never begins anew. */
  readonly period: "day" | "month" | "total";
  /** AAUs, or nanodollars. Usage may reach it and not exceed it. */
  readonly limit: bigint;
  /** What happens to a call that would exceed it. */
  readonly action: "warn" | "block";
  /** The organization's own billing admins, or the operator: then nobody else changes it (Decision §15). */
  readonly setBy: "organization" | "operator";
}

/** A budget's limit as it is written: whole AAUs, or decimal dollars. */
export function limitText({ unit, limit }: Pick<Budget, "unit" | "limit">): string {
  return amountText(unit, limit);
}

/** An amount as it is written: whole AAUs, or decimal dollars. */
export function amountText(unit: Budget["unit"], amount: bigint): string {
  return unit === "usd" ? formatUsd(amount) : String(amount);
}

/** The time over which a budget counts: half open, in ms since the epoch. */
export interface BudgetWindow {
  /** The session that counts; absent: the whole organization. */
  readonly sessionId: string | undefined;
  readonly fromMs: number;
  /** Absent: for good. */
  readonly untilMs: number | undefined;
}

/** What a call will weigh and cost. */
export interface Charge {
  readonly sessionId: string;
  readonly aau: number;
  readonly cost: Nanodollars;
}

/** Whether a call may run. */
export type Admission =
  /** The organization has no budgets: nothing was reserved. */
  | { readonly kind: "unlimited" }
  | {
      readonly kind: "admitted";
      /** One sentence for each `warn` budget that the call exceeds. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: "refused"; readonly message: string; readonly retryAfterMs: number };

/** Windows kept with their usage; when there are more, all are forgotten and asked for again. */
const WINDOWS_MAX = 10_000;
/** A budget that never begins anew has to be raised by somebody: ask again tomorrow. */
const RETRY_TOTAL_MS = 24 * 60 * 60 * 1000;
/** Only calls under way stand in the way: they may come to nothing. */
const RETRY_RESERVED_MS = 1000;

/**
 * The budgets of one organization against what was recorded and what is under way. All of it is
 * synchronous, so that of concurrent calls none slips between the question and the reservation.
 *
 * What counts against a budget is recorded usage plus reservations. A call is reserved before it
 * runs; when its row is recorded, the row takes the reservation's place in one step.
 */
export class BudgetLedger {
  readonly #budgets: readonly Budget[];
  readonly #reserved: Map<string, Charge>;
  /** By window: only those that were asked for. */
  readonly #recorded = new Map<string, UsageTotals>();

  /** @param former the ledger before the budgets changed, whose calls are still under way. */
  constructor(budgets: readonly Budget[], former?: BudgetLedger) {
    this.#budgets = budgets;
    this.#reserved = new Map(former === undefined ? [] : former.#reserved);
  }

  /** The windows whose recorded usage must be told before a call can be reserved. */
  unknownWindows(charge: Charge, nowMs: number): readonly BudgetWindow[] {
    const windows = this.#budgets.map((budget) => windowOf(budget, charge.sessionId, nowMs));
    return windows.filter((window) => !this.#recorded.has(keyOf(window)));
  }

  /** Tells the recorded usage of a window. */
  know(window: BudgetWindow, totals: UsageTotals): void {
    if (this.#recorded.size >= WINDOWS_MAX) this.#recorded.clear();
    this.#recorded.set(keyOf(window), totals);
  }

  /** Reserves a call if every `block` budget has room for it. Its windows must be known. */
  reserve(callId: string, charge: Charge, nowMs: number): Admission {
    const exceeded = this.#budgets.filter((budget) => this.#exceeds(budget, charge, nowMs));
    const blocking = exceeded.find((budget) => budget.action === "block");
    if (blocking !== undefined) return this.#refusal(blocking, charge, nowMs);
    this.#reserved.set(callId, charge);
    return { kind: "admitted", warnings: exceeded.map((budget) => describe(budget)) };
  }

  /** Gives back what a call had reserved that came to nothing. */
  release(callId: string): void {
    this.#reserved.delete(callId);
  }

  /** Counts a row: in the place of its call's reservation, if it had one. */
  record(callId: string, posting: Posting): void {
    this.#reserved.delete(callId);
    const { sessionId, occurredAtMs } = posting;
    const windows = this.#budgets
      .filter((budget) => budget.scope === "organization" || sessionId !== undefined)
      .map((budget) => keyOf(windowOf(budget, sessionId ?? "", occurredAtMs)));
    for (const key of new Set(windows)) {
      const totals = this.#recorded.get(key);
      if (totals !== undefined) this.#recorded.set(key, addTotals(totals, posting));
    }
  }

  /** Whether no call of the organization is under way. */
  get idle(): boolean {
    return this.#reserved.size === 0;
  }

  #exceeds(budget: Budget, charge: Charge, nowMs: number): boolean {
    const used = this.#recordedIn(budget, charge, nowMs) + this.#reservedFor(budget, charge);
    return used + amountOf(budget, charge) > budget.limit;
  }

  #recordedIn(budget: Budget, charge: Charge, nowMs: number): bigint {
    const key = keyOf(windowOf(budget, charge.sessionId, nowMs));
    const { totalAau, totalCost } = this.#recorded.get(key) ?? NO_USAGE;
    return amountOf(budget, { aau: totalAau, cost: totalCost });
  }

  #reservedFor(budget: Budget, charge: Charge): bigint {
    let sum = 0n;
    for (const reserved of this.#reserved.values()) {
      const counts = budget.scope === "organization" || reserved.sessionId === charge.sessionId;
      if (counts) sum += amountOf(budget, reserved);
    }
    return sum;
  }

  #refusal(budget: Budget, charge: Charge, nowMs: number): Admission {
    const room = budget.limit - this.#recordedIn(budget, charge, nowMs);
    const { untilMs } = windowOf(budget, charge.sessionId, nowMs);
    const endMs = untilMs === undefined ? RETRY_TOTAL_MS : untilMs - nowMs;
    const retryAfterMs = amountOf(budget, charge) <= room ? RETRY_RESERVED_MS : endMs;
    const renewal = untilMs === undefined ? "" : `; it begins anew at ${isoTime(untilMs)}`;
    return { kind: "refused", message: `${describe(budget)}${renewal}`, retryAfterMs };
  }
}

/** The window of a budget in which a call at this time counts. */
export function windowOf(budget: Budget, sessionId: string, nowMs: number): BudgetWindow {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const session = budget.scope === "session" ? sessionId : undefined;
  switch (budget.period) {
    case "day":
      return {
        sessionId: session,
        fromMs: Date.UTC(year, month, day),
        untilMs: Date.UTC(year, month, day + 1),
      };
    case "month":
      return {
        sessionId: session,
        fromMs: Date.UTC(year, month),
        untilMs: Date.UTC(year, month + 1),
      };
    case "total":
      return { sessionId: session, fromMs: 0, untilMs: undefined };
  }
}

/** What counts against a budget: AAUs or nanodollars. */
export function amountOf(budget: Budget, amount: Pick<Charge, "aau" | "cost">): bigint {
  return budget.unit === "aau" ? BigInt(amount.aau) : amount.cost;
}

function describe(budget: Budget): string {
  const whose =
    budget.setBy === "operator"
      ? `operator's budget for the ${budget.scope}`
      : `${budget.scope}'s budget`;
  return `The ${whose} of ${capText(budget)} does not cover this call`;
}

/** A budget's limit with its unit and period, such as `$100 per month`. */
export function capText(budget: Pick<Budget, "unit" | "limit" | "period">): string {
  const limit = budget.unit === "aau" ? `${limitText(budget)} AAU` : `$${limitText(budget)}`;
  return `${limit} ${budget.period === "total" ? "in total" : `per ${budget.period}`}`;
}

function keyOf({ sessionId, fromMs, untilMs }: BudgetWindow): string {
  return `${String(fromMs)} ${String(untilMs)} ${sessionId === undefined ? "" : `of ${sessionId}`}`;
}
