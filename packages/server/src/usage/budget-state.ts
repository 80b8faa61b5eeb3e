import { amountOf, windowOf, type Budget } from "./budgets.js";
import type { UsageStore } from "./ports.js";

/** A budget and what is recorded against it. */
export interface BudgetState {
  readonly budget: Budget;
  /** Absent for a budget of sessions when no session is asked about: each of them has its own. */
  readonly usage?: BudgetUsage;
}

/** What is recorded in a budget's present period: AAUs or nanodollars, as the budget counts. */
export interface BudgetUsage {
  readonly used: bigint;
  /** Zero when a budget that only warns is exceeded. */
  readonly remaining: bigint;
  /** When the period ends, in ms since the epoch; absent: never. */
  readonly resetsAtMs?: number;
}

/** How much of a budget is used up. @param sessionId the session that a budget of sessions is asked about. */
export async function budgetState(
  store: Pick<UsageStore, "totalsIn">,
  orgId: string,
  budget: Budget,
  { sessionId, nowMs }: { readonly sessionId: string | undefined; readonly nowMs: number },
): Promise<BudgetState> {
  if (budget.scope === "session" && sessionId === undefined) return { budget };
  const window = windowOf(budget, sessionId ?? "", nowMs);
  const { totalAau, totalCost } = await store.totalsIn(orgId, window);
  const used = amountOf(budget, { aau: totalAau, cost: totalCost });
  const left = budget.limit - used;
  const usage = {
    used,
    remaining: left > 0n ? left : 0n,
    ...(window.untilMs === undefined ? {} : { resetsAtMs: window.untilMs }),
  };
  return { budget, usage };
}
