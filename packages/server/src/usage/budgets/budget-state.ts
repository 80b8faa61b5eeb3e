import { amountOf, windowOf, type Budget } from "./budgets.js";
import type { UsageReports } from "../ports.js";

/** A budget and its usage. */
export interface BudgetState {
  readonly budget: Budget;
  /**
   * Absent for a budget per session when no session is given, because each session has its own
   * usage.
   */
  readonly usage?: BudgetUsage;
}

/**
 * The usage in a budget's current period, in AAUs or nanodollars, depending on the budget's unit.
 */
export interface BudgetUsage {
  readonly used: bigint;
  /** Zero when a budget that only warns is exceeded. */
  readonly remaining: bigint;
  /** End of the period, in ms since the epoch; absent: the period never ends. */
  readonly resetsAtMs?: number;
}

/**
 * The usage of a budget.
 * @param sessionId the session, for a budget per session.
 */
export async function budgetState(
  reports: Pick<UsageReports, "totalsIn">,
  orgId: string,
  budget: Budget,
  { sessionId, nowMs }: { readonly sessionId: string | undefined; readonly nowMs: number },
): Promise<BudgetState> {
  if (budget.scope === "session" && sessionId === undefined) return { budget };
  const window = windowOf(budget, sessionId ?? "", nowMs);
  const { totalAau, totalCost } = await reports.totalsIn(orgId, window);
  const used = amountOf(budget, { aau: totalAau, cost: totalCost });
  const left = budget.limit - used;
  const usage = {
    used,
    remaining: left > 0n ? left : 0n,
    ...(window.untilMs === undefined ? {} : { resetsAtMs: window.untilMs }),
  };
  return { budget, usage };
}
