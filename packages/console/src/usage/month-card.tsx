import type { Budget } from "@steward/client";
import { usageTexts } from "../texts/usage.js";
import { classNames } from "../ui/class-names.js";
import type { Measure } from "./usage-filters.js";
import type { MonthForecast } from "./usage-numbers.js";
import { amountText, monthText } from "./usage-texts.js";

/** The month to date, its forecast, and the budgets of the month in the same unit. */
export function MonthCard(props: {
  readonly month: MonthForecast;
  readonly measure: Measure;
  readonly budgets: readonly Budget[];
  readonly nowMs: number;
}) {
  const { month, measure, budgets } = props;
  return (
    <section aria-label={usageTexts.month} className="rounded-lg border bg-raised p-4">
      <h2 className="text-sm text-muted">{monthText(props.nowMs)}</h2>
      <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">
        {amountText(month.soFar, measure)}
      </p>
      <p className="text-sm text-muted">
        {usageTexts.forecast(amountText(month.forecast, measure))}
      </p>
      {budgets.map((budget) => (
        <BudgetBar key={budget.budget_id} budget={budget} month={month} measure={measure} />
      ))}
    </section>
  );
}

function BudgetBar(props: {
  readonly budget: Budget;
  readonly month: MonthForecast;
  readonly measure: Measure;
}) {
  const { budget, month, measure } = props;
  const limit = Number(budget.limit);
  const used = Number(budget.used ?? month.soFar);
  const part = limit === 0 ? 1 : Math.min(1, used / limit);
  const isOver = used > limit;
  const willBeOver = !isOver && month.forecast > limit;
  const text = usageTexts.ofBudget(amountText(used, measure), amountText(limit, measure));
  return (
    <div className="mt-3">
      <svg
        width="100%"
        height={8}
        role="img"
        aria-label={text}
        className="block rounded-full bg-sunken"
      >
        <rect
          width={`${String(part * 100)}%`}
          height={8}
          rx={4}
          className={classNames(isOver ? "fill-bad" : willBeOver ? "fill-warn" : "fill-good")}
        />
      </svg>
      <p className="mt-1 text-xs text-muted">
        {text} {isOver && usageTexts.over}
        {willBeOver && usageTexts.willBeOver}
      </p>
    </div>
  );
}
