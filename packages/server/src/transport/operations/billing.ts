import {
  billing,
  type Budget as BudgetMessage,
  type Price as PriceMessage,
} from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import {
  amountText,
  formatUsd,
  limitText,
  type Budget,
  type BudgetState,
  type Price,
} from "../../usage/index.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";
import { differenceMessage } from "./usage.js";

/** What the operations on totals, prices and budgets do. */
export function billingOperations({ usage }: Pick<Services, "usage">): readonly Implemented[] {
  return [
    implement(billing.verifyUsage, async ({ input: { repair = false }, context }) =>
      (await usage.verify(context, { repair })).map(differenceMessage),
    ),
    implement(billing.listPrices, async ({ input, context }) =>
      (await usage.prices(context, input.org_id)).map(priceMessage),
    ),
    implement(billing.setPrice, async ({ input, context }) =>
      priceMessage(await usage.setPrice(context, input)),
    ),
    implement(billing.repriceUsage, async ({ input, context }) => {
      const { corrections, difference } = await usage.reprice(context, input);
      return { corrections, difference_usd: formatUsd(difference) };
    }),
    implement(billing.listBudgets, async ({ input, context }) =>
      (await usage.budgets(context, input.org_id)).map(budgetStateMessage),
    ),
    implement(billing.setBudget, async ({ input, context }) =>
      budgetMessage(await usage.setBudget(context, input)),
    ),
    implement(billing.removeBudget, async ({ input, context }) => {
      const { budget_id, org_id } = input;
      await usage.removeBudget(context, budget_id, org_id);
      return { budget_id, removed: true as const };
    }),
  ];
}

function priceMessage(price: Price): PriceMessage {
  return {
    price_id: price.id,
    scope: price.scope,
    subject: price.subject,
    amount_usd: formatUsd(price.amount),
    from: isoTime(price.fromMs),
    ...(price.untilMs === undefined ? {} : { until: isoTime(price.untilMs) }),
  };
}

function budgetMessage({ id, setBy, ...budget }: Budget): BudgetMessage {
  return { budget_id: id, ...budget, limit: limitText(budget), set_by: setBy };
}

/** A budget and the usage recorded against it. */
function budgetStateMessage({ budget, usage }: BudgetState): BudgetMessage {
  if (usage === undefined) return budgetMessage(budget);
  const { used, remaining, resetsAtMs } = usage;
  return {
    ...budgetMessage(budget),
    used: amountText(budget.unit, used),
    remaining: amountText(budget.unit, remaining),
    ...(resetsAtMs === undefined ? {} : { resets_at: isoTime(resetsAtMs) }),
  };
}
