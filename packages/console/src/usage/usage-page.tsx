import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChartColumn, Download } from "lucide-react";
import type { Budget, DailyUsage, HeatMapRow } from "@steward/client";
import { client } from "../data/client.js";
import { download } from "../data/export.js";
import { usageTexts } from "../texts/usage.js";
import { AgentText } from "../ui/agent-text.js";
import { Button } from "../ui/button.js";
import { Choices } from "../ui/facets.js";
import { Page } from "../ui/page.js";
import { Empty, Failure, Skeleton } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { BudgetTable, PriceTable } from "./budgets-and-prices.js";
import { DailyBars } from "./daily-bars.js";
import { HeatMap } from "./heat-map.js";
import { MonthCard } from "./month-card.js";
import { TopList } from "./top-list.js";
import {
  DAYS_DEFAULT,
  MEASURE_DEFAULT,
  MEASURES,
  SPANS,
  type Measure,
  type UsageFilters,
} from "./usage-filters.js";
import {
  amountsByDay,
  dayOf,
  heatMatrix,
  largest,
  lastDays,
  monthForecast,
} from "./usage-numbers.js";
import { amountText, dayText } from "./usage-texts.js";

const PLACEHOLDER_ROWS = 8;
const TOP_MAX = 8;
const MODELS_MAX = 20;
/** Usage grows while agents work; the graphs follow at this interval, in ms. */
const REFRESH_MS = 30_000;

/** The page of usage, its cost, and the budgets. */
export default function UsagePage() {
  const filters = useSearch({ from: "/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const { measure = MEASURE_DEFAULT, days: span = DAYS_DEFAULT } = filters;
  const usage = useUsage(span);
  const change = (changes: UsageFilters) => {
    void navigate({ search: { ...filters, ...changes }, replace: true });
  };
  const exportCsv = () => {
    const { from, to } = usage.range;
    void client.billing.usageCsv({ from, to }).then((csv) => {
      download(`usage-${from}-${to}.csv`, "text/csv", csv);
    });
  };
  return (
    <Page
      title={usageTexts.title}
      subtitle={usageTexts.subtitle}
      actions={
        <Button onClick={exportCsv} disabled={usage.data === undefined}>
          <Download size={15} aria-hidden />
          {usageTexts.csv}
        </Button>
      }
    >
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5 md:px-6">
        <Choices
          label={usageTexts.measure}
          chosen={measure}
          values={MEASURES.map((value) => ({ value, text: usageTexts.measures[value] }))}
          onChoose={(value) => {
            change({ measure: value });
          }}
        />
        <Choices
          label={usageTexts.span}
          chosen={String(span)}
          values={SPANS.map((value) => ({ value: String(value), text: usageTexts.days(value) }))}
          onChoose={(value) => {
            change({ days: SPANS.find((each) => String(each) === value) ?? DAYS_DEFAULT });
          }}
        />
        <Choices
          label={usageTexts.view}
          chosen={filters.view ?? "chart"}
          values={[
            { value: "chart", text: usageTexts.chart },
            { value: "table", text: usageTexts.table },
          ]}
          onChoose={(value) => {
            const { view: _view, ...others } = filters;
            const search = value === "table" ? { ...others, view: value } : others;
            void navigate({ search, replace: true });
          }}
        />
      </div>
      {usage.isPending && <Skeleton rows={PLACEHOLDER_ROWS} />}
      {usage.error !== null && usage.data === undefined && (
        <Failure error={usage.error} onRetry={() => void usage.refetch()} />
      )}
      {usage.data !== undefined && (
        <Loaded
          data={usage.data}
          measure={measure}
          span={span}
          isTable={filters.view === "table"}
        />
      )}
    </Page>
  );
}

/** All that the page draws, read at once, so that its parts belong together. */
interface UsageData {
  readonly byTool: readonly DailyUsage[];
  readonly bySession: readonly DailyUsage[];
  readonly month: readonly DailyUsage[];
  readonly heat: readonly HeatMapRow[];
  readonly budgets: readonly Budget[];
  readonly nowMs: number;
}

function useUsage(span: number) {
  const nowMs = Date.now();
  const [from = ""] = lastDays(span, nowMs);
  const to = dayOf(nowMs);
  const query = useQuery({
    queryKey: ["usage", span, to],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }): Promise<UsageData> => {
      const { billing } = client;
      const monthStart = `${to.slice(0, 7)}-01`;
      const [byTool, bySession, month, heat, budgets] = await Promise.all([
        billing.getUsage({ from, to, group_by: "tool" }, { signal }),
        billing.getUsage({ from, to, group_by: "session" }, { signal }),
        billing.getUsage({ from: monthStart, to }, { signal }),
        billing.getUsageHeatMap({}, { signal }),
        billing.listBudgets({}, { signal }),
      ]);
      return { byTool, bySession, month, heat, budgets, nowMs: Date.now() };
    },
  });
  return { ...query, range: { from, to } };
}

function Loaded(props: {
  readonly data: UsageData;
  readonly measure: Measure;
  readonly span: number;
  readonly isTable: boolean;
}) {
  const { data, measure, span, isTable } = props;
  if (data.heat.length === 0) {
    return (
      <Empty
        title={usageTexts.empty}
        hint={usageTexts.emptyHint}
        icon={<ChartColumn size={26} aria-hidden />}
      />
    );
  }
  const days = amountsByDay(data.byTool, lastDays(span, data.nowMs), measure);
  const inUnit = data.budgets.filter(
    ({ scope, unit }) =>
      scope === "organization" && unit === (measure === "cost" ? "usd" : measure),
  );
  const daily = inUnit.find(({ period }) => period === "day");
  const top = { measure, count: TOP_MAX };
  return (
    <div className="grid gap-4 p-4 md:p-6 lg:grid-cols-3">
      <section className="min-w-0 rounded-lg border p-4 lg:col-span-2">
        <h2 className="mb-2 text-sm font-medium">{usageTexts.daily}</h2>
        {isTable ? (
          <Table
            label={usageTexts.daily}
            rows={[...days].reverse()}
            keyOf={({ date }) => date}
            columns={[
              { title: usageTexts.day, cell: ({ date }) => dayText(date) },
              {
                title: usageTexts.measures[measure],
                cell: ({ amount }) => amountText(amount, measure),
                isNumber: true,
              },
            ]}
          />
        ) : (
          <DailyBars days={days} measure={measure} limit={daily && Number(daily.limit)} />
        )}
      </section>
      <MonthCard
        month={monthForecast(data.month, measure, data.nowMs)}
        measure={measure}
        budgets={inUnit.filter(({ period }) => period === "month")}
        nowMs={data.nowMs}
      />
      <TopList
        title={usageTexts.tools}
        unnamed={usageTexts.unnamed}
        rows={largest(data.byTool, (row) => row.tool_name, top)}
        measure={measure}
      />
      <TopList
        title={usageTexts.sessions}
        unnamed={usageTexts.noSession}
        rows={largest(data.bySession, (row) => row.session_id, top)}
        measure={measure}
      />
      <Heat rows={data.heat} measure={measure} isTable={isTable} />
      <BudgetTable budgets={data.budgets} />
      <PriceTable />
    </div>
  );
}

function Heat(props: {
  readonly rows: readonly HeatMapRow[];
  readonly measure: Measure;
  readonly isTable: boolean;
}) {
  // The heat map has weights and calls; what they cost depends on the prices of each time.
  const measure = props.measure === "cost" ? "aau" : props.measure;
  const matrix = heatMatrix(props.rows, { measure, modelsMax: MODELS_MAX });
  const title = usageTexts.heat(usageTexts.measures[measure]);
  return (
    <section className="min-w-0 rounded-lg border p-4 lg:col-span-3">
      <h2 className="mb-2 text-sm font-medium">{title}</h2>
      {props.isTable ? (
        <Table
          label={title}
          rows={matrix.models}
          keyOf={(model) => model}
          columns={[
            { title: usageTexts.model, cell: (model) => <AgentText>{model}</AgentText> },
            ...matrix.intents.map((intent) => ({
              title: intent,
              cell: (model: string) => amountText(matrix.amountOf(model, intent), measure),
              isNumber: true,
            })),
          ]}
        />
      ) : (
        <HeatMap matrix={matrix} measure={measure} />
      )}
    </section>
  );
}
