import { amountOf, amountText, type Budget, budgetText, type Charge } from "./budgets.js";
import type { BudgetState } from "./budget-state.js";

/** A budget that does not cover what somebody is about to do. */
export interface ExceededBudget {
  /** `block`: calls beyond the budget are refused; `warn`: they run. */
  readonly action: Budget["action"];
  /** One sentence with what is left and what is needed. */
  readonly reason: string;
}

/**
 * The budgets that do not cover a charge beside what is recorded by now. Calls that run meanwhile are not
 * counted, and nothing is reserved.
 */
export function exceededBudgets(
  states: readonly BudgetState[],
  charge: Pick<Charge, "aau" | "cost">,
): readonly ExceededBudget[] {
  return states.flatMap(({ budget, usage }) => {
    const needed = amountOf(budget, charge);
    if (usage === undefined || needed <= budget.limit - usage.used) return [];
    const [left, more] = [usage.remaining, needed].map((amount) => shown(budget, amount));
    const reason = `The ${budgetText(budget)} has ${String(left)} left, and the plan needs ${String(more)}`;
    return [{ action: budget.action, reason }];
  });
}

function shown({ unit }: Budget, amount: bigint): string {
  return unit === "usd" ? `$${amountText(unit, amount)}` : `${amountText(unit, amount)} AAU`;
}

/** One sentence for each budget whose usage is known, with what is left of it. */
export function remainingTexts(states: readonly BudgetState[]): readonly string[] {
  return states.flatMap(({ budget, usage }) =>
    usage === undefined
      ? []
      : [`The ${budgetText(budget)} has ${shown(budget, usage.remaining)} left`],
  );
}
