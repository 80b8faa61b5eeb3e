import { useMutation, useQuery } from "@tanstack/react-query";
import type { Budget } from "@steward/client";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { useMay } from "../data/session.js";
import { usageTexts } from "../texts/usage.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Choices } from "../ui/facets.js";
import { Field } from "../ui/field.js";
import { InlineFailure } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";

/** Limits of usage, and a form for those who may set them. */
export function BudgetTable({ budgets }: { readonly budgets: readonly Budget[] }) {
  const mayWrite = useMay("budgets:write");
  const remove = useMutation({
    mutationFn: (budgetId: string) => client.billing.removeBudget({ budget_id: budgetId }),
    onSuccess: readAgain,
  });
  return (
    <section className="flex min-w-0 flex-col gap-3 rounded-lg border p-4 lg:col-span-3">
      <h2 className="text-sm font-medium">{usageTexts.budgets}</h2>
      {budgets.length === 0 && <p className="text-sm text-muted">{usageTexts.noBudgets}</p>}
      {remove.error !== null && <InlineFailure error={remove.error} />}
      {budgets.length > 0 && (
        <Table
          label={usageTexts.budgets}
          rows={budgets}
          keyOf={({ budget_id: id }) => id}
          columns={[
            { title: usageTexts.limit, cell: limitText },
            { title: usageTexts.usedColumn, cell: ({ used = "" }) => used, isNumber: true },
            {
              title: usageTexts.action,
              cell: ({ action }) => (
                <Badge tone={action === "block" ? "bad" : "warn"}>
                  {action === "block" ? usageTexts.block : usageTexts.warn}
                </Badge>
              ),
            },
            {
              title: usageTexts.resets,
              cell: ({ resets_at: at }) => (at === undefined ? "" : <Time at={at} isDeadline />),
            },
            {
              title: usageTexts.change,
              cell: (budget) =>
                mayWrite && budget.set_by === "organization" ? (
                  <Button
                    look="danger"
                    size="small"
                    disabled={remove.isPending}
                    aria-label={usageTexts.removeBudget(limitText(budget))}
                    onClick={() => {
                      remove.mutate(budget.budget_id);
                    }}
                  >
                    {usageTexts.remove}
                  </Button>
                ) : (
                  <span className="text-muted">{usageTexts.setBy(budget.set_by)}</span>
                ),
            },
          ]}
        />
      )}
      {mayWrite && <NewBudgetForm />}
    </section>
  );
}

const PERIODS = ["day", "month"] as const;
const UNITS = ["usd", "aau"] as const;
const ACTIONS = ["warn", "block"] as const;

function NewBudgetForm() {
  const [limit, setLimit] = useState("");
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>("month");
  const [unit, setUnit] = useState<(typeof UNITS)[number]>("usd");
  const [action, setAction] = useState<(typeof ACTIONS)[number]>("warn");
  const save = useMutation({
    mutationFn: () =>
      client.billing.setBudget({ scope: "organization", unit, period, limit, action }),
    onSuccess: async () => {
      setLimit("");
      await readAgain();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
      className="flex flex-wrap items-end gap-2 border-t pt-3"
    >
      <div className="w-36">
        <Field
          id="budget-limit"
          label={usageTexts.newLimit}
          inputMode="decimal"
          required
          value={limit}
          onChange={(event) => {
            setLimit(event.target.value);
          }}
        />
      </div>
      <Choices
        label={usageTexts.unit}
        chosen={unit}
        values={UNITS.map((value) => ({ value, text: usageTexts.units[value] }))}
        onChoose={setUnit}
      />
      <Choices
        label={usageTexts.period}
        chosen={period}
        values={PERIODS.map((value) => ({ value, text: usageTexts.periods[value] }))}
        onChoose={setPeriod}
      />
      <Choices
        label={usageTexts.action}
        chosen={action}
        values={ACTIONS.map((value) => ({ value, text: usageTexts[value] }))}
        onChoose={setAction}
      />
      <Button type="submit" look="primary" disabled={save.isPending || limit === ""}>
        {usageTexts.setBudget}
      </Button>
      {save.error !== null && <InlineFailure error={save.error} />}
    </form>
  );
}

/** The table of prices, for people with the right to read it. */
export function PriceTable() {
  const mayRead = useMay("prices:read");
  const { data: prices = [] } = useQuery({
    queryKey: ["prices"],
    queryFn: ({ signal }) => client.billing.listPrices({}, { signal }),
    enabled: mayRead,
  });
  if (!mayRead) return null;
  return (
    <section className="min-w-0 rounded-lg border p-4 lg:col-span-3">
      <h2 className="mb-2 text-sm font-medium">{usageTexts.prices}</h2>
      {prices.length === 0 && <p className="text-sm text-muted">{usageTexts.noPrices}</p>}
      {prices.length > 0 && (
        <Table
          label={usageTexts.prices}
          rows={prices}
          keyOf={({ price_id: id }) => id}
          columns={[
            {
              title: usageTexts.appliesTo,
              cell: ({ scope, subject }) => (
                <AgentText>{usageTexts.priceOf(scope, subject)}</AgentText>
              ),
            },
            {
              title: usageTexts.price,
              cell: ({ amount_usd: amount }) => `$${amount}`,
              isNumber: true,
            },
            { title: usageTexts.from, cell: ({ from }) => <Time at={from} isDeadline /> },
            {
              title: usageTexts.until,
              cell: ({ until }) =>
                until === undefined ? usageTexts.forGood : <Time at={until} isDeadline />,
            },
          ]}
        />
      )}
    </section>
  );
}

function limitText({ limit, unit, period, scope }: Budget): string {
  const amount = unit === "usd" ? `$${limit}` : usageTexts.aau(limit);
  return usageTexts.limitText(amount, period, scope);
}

async function readAgain(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ["usage"] });
}
