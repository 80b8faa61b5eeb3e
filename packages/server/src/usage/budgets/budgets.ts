import { isoTime } from "@steward/kernel/clock.js";
import { formatUsd, type Nanodollars } from "../money.js";
import { addTotals, NO_USAGE, type Posting, type UsageTotals } from "../posting.js";

/** A limit of usage. */
export interface Budget {
  /** UUID v4. */
  readonly id: string;
  /** Whether the limit applies to the organization as a whole, or to each of its sessions. */
  readonly scope: "organization" | "session";
  readonly unit: "aau" | "usd";
  /** UTC days and months; `total` never resets. */
  readonly period: "day" | "month" | "total";
  /** In AAUs or nanodollars. Usage may reach the limit, but not exceed it. */
  readonly limit: bigint;
  /** Effect on a call that would exceed the limit. */
  readonly action: "warn" | "block";
  /**
   * Who set the budget: billing admins of the organization, or the operator. Only the operator can
   * change an operator's budget (Decision §15).
   */
  readonly setBy: "organization" | "operator";
}

/** A budget's limit as text: AAUs, or decimal dollars. */
export function limitText({ unit, limit }: Pick<Budget, "unit" | "limit">): string {
  return amountText(unit, limit);
}

/** An amount as text: AAUs, or decimal dollars. */
export function amountText(unit: Budget["unit"], amount: bigint): string {
  return unit === "usd" ? formatUsd(amount) : String(amount);
}

/** The period in which usage counts towards a budget: half open, in ms since the epoch. */
export interface BudgetWindow {
  /** The session whose usage counts; absent: the whole organization. */
  readonly sessionId: string | undefined;
  readonly fromMs: number;
  /** Absent: no end. */
  readonly untilMs: number | undefined;
}

/** The weight and cost of a call that is about to run. */
export interface Charge {
  readonly sessionId: string;
  readonly aau: number;
  readonly cost: Nanodollars;
}

/** A budget with one of its periods. */
export interface BudgetInPeriod {
  readonly budget: Budget;
  readonly window: BudgetWindow;
}

/** The decision whether a call may run. */
export type Admission =
  /** The organization has no budgets, so nothing was reserved. */
  | { readonly kind: "unlimited" }
  | {
      readonly kind: "admitted";
      /** One sentence for each exceeded budget that only warns. */
      readonly warnings: readonly string[];
      /** The budgets of the warnings. */
      readonly exceeded: readonly BudgetInPeriod[];
    }
  | {
      readonly kind: "refused";
      readonly message: string;
      readonly retryAfterMs: number;
      /** The budget that refuses it; none when only calls that run now leave no room. */
      readonly exceeded: readonly BudgetInPeriod[];
    };

/** Limit of cached windows. When there are more, the cache is cleared. */
const WINDOWS_MAX = 10_000;
/** A `total` budget never resets, so a retry helps only after somebody has raised the budget. */
const RETRY_TOTAL_MS = 24 * 60 * 60 * 1000;
/** The budget is only exhausted by reservations of running calls, which may be released. */
const RETRY_RESERVED_MS = 1000;

/**
 * An organization's budgets, compared with recorded usage and with reservations of running calls.
 * All methods are synchronous, so that no concurrent call can slip in between the check and the
 * reservation.
 *
 * Recorded usage plus reservations count towards a budget. A call is reserved before it runs. When
 * its usage row is recorded, the row replaces the reservation in one step.
 */
export class BudgetLedger {
  readonly #budgets: readonly Budget[];
  readonly #reserved: Map<string, Charge>;
  /** Recorded usage by window; only windows that were needed. */
  readonly #recorded = new Map<string, UsageTotals>();

  /**
   * @param former the ledger before the budgets changed, with the reservations of running calls.
   */
  constructor(budgets: readonly Budget[], former?: BudgetLedger) {
    this.#budgets = budgets;
    this.#reserved = new Map(former === undefined ? [] : former.#reserved);
  }

  /** The windows whose recorded usage must be loaded before the call can be reserved. */
  unknownWindows(charge: Charge, nowMs: number): readonly BudgetWindow[] {
    const windows = this.#budgets.map((budget) => windowOf(budget, charge.sessionId, nowMs));
    return windows.filter((window) => !this.#recorded.has(keyOf(window)));
  }

  /** Sets the recorded usage of a window. */
  know(window: BudgetWindow, totals: UsageTotals): void {
    if (this.#recorded.size >= WINDOWS_MAX) this.#recorded.clear();
    this.#recorded.set(keyOf(window), totals);
  }

  /** Reserves a call if every `block` budget has room for it. The call's windows must be loaded. */
  reserve(callId: string, charge: Charge, nowMs: number): Admission {
    const exceeded = this.#budgets.filter((budget) => this.#exceeds(budget, charge, nowMs));
    const blocking = exceeded.find((budget) => budget.action === "block");
    if (blocking !== undefined) return this.#refusal(blocking, charge, nowMs);
    this.#reserved.set(callId, charge);
    return {
      kind: "admitted",
      warnings: exceeded.map((budget) => warningOf(budget)),
      exceeded: exceeded.map((budget) => ({
        budget,
        window: windowOf(budget, charge.sessionId, nowMs),
      })),
    };
  }

  /** Releases the reservation of a call that was not recorded. */
  release(callId: string): void {
    this.#reserved.delete(callId);
  }

  /** Whether there is anything that usage rows count for. */
  get hasBudgets(): boolean {
    return this.#budgets.length > 0;
  }

  /** Counts a usage row, and removes its call's reservation, if any. */
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

  /** Whether the organization has no running calls. */
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
    const window = windowOf(budget, charge.sessionId, nowMs);
    const { untilMs } = window;
    const endMs = untilMs === undefined ? RETRY_TOTAL_MS : untilMs - nowMs;
    const isReserved = amountOf(budget, charge) <= room;
    const renewal = untilMs === undefined ? "" : `; it is reset at ${isoTime(untilMs)}`;
    return {
      kind: "refused",
      message: `The ${budgetText(budget)} does not cover this call${renewal}`,
      retryAfterMs: isReserved ? RETRY_RESERVED_MS : endMs,
      exceeded: isReserved ? [] : [{ budget, window }],
    };
  }
}

/** The window of a budget that contains a call at this time. */
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

/** The amount that counts towards a budget, in its unit. */
export function amountOf(budget: Budget, amount: Pick<Charge, "aau" | "cost">): bigint {
  return budget.unit === "aau" ? BigInt(amount.aau) : amount.cost;
}

/** What the agent is told of a call that ran although the budget did not cover it. */
function warningOf(budget: Budget): string {
  return `This call ran over the ${budgetText(budget)}, which only warns`;
}

/** A budget by its owner and its limit, such as `session's budget of $100 per month`. */
export function budgetText(budget: Budget): string {
  const whose =
    budget.setBy === "operator"
      ? `operator's budget for the ${budget.scope}`
      : `${budget.scope}'s budget`;
  return `${whose} of ${capText(budget)}`;
}

/** A budget's limit with its unit and period, such as `$100 per month`. */
export function capText(budget: Pick<Budget, "unit" | "limit" | "period">): string {
  const limit = budget.unit === "aau" ? `${limitText(budget)} AAU` : `$${limitText(budget)}`;
  return `${limit} ${budget.period === "total" ? "in total" : `per ${budget.period}`}`;
}

function keyOf({ sessionId, fromMs, untilMs }: BudgetWindow): string {
  return `${String(fromMs)} ${String(untilMs)} ${sessionId === undefined ? "" : `of ${sessionId}`}`;
}
