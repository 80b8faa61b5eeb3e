import type { DailyUsage, HeatMapRow } from "@steward/client";
import type { Measure } from "./usage-filters.js";

export interface DayAmount {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly amount: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The amount of a row of usage. */
export function amountOf(
  row: Pick<DailyUsage, "total_cost_usd" | "total_aau" | "action_count">,
  measure: Measure,
): number {
  switch (measure) {
    case "cost":
      return row.total_cost_usd;
    case "aau":
      return row.total_aau;
    case "calls":
      return row.action_count;
  }
}

/** A day in UTC, as the server writes it. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The last days, today included, oldest first. */
export function lastDays(count: number, nowMs: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => dayOf(nowMs - (count - 1 - index) * DAY_MS));
}

/** An amount for each of these days: days without usage have none in the server's answer. */
export function amountsByDay(
  rows: readonly DailyUsage[],
  days: readonly string[],
  measure: Measure,
): readonly DayAmount[] {
  const amounts = new Map<string, number>();
  for (const row of rows) {
    amounts.set(row.date, (amounts.get(row.date) ?? 0) + amountOf(row, measure));
  }
  return days.map((date) => ({ date, amount: amounts.get(date) ?? 0 }));
}

/** The sum of the month to date, and its forecast: the same rate until the end of the month. */
export interface MonthForecast {
  readonly soFar: number;
  readonly forecast: number;
}

/** Adds up the present month (UTC). Of the present day, only the elapsed part counts. */
export function monthForecast(
  rows: readonly DailyUsage[],
  measure: Measure,
  nowMs: number,
): MonthForecast {
  const now = new Date(nowMs);
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const month = dayOf(nowMs).slice(0, 7);
  const soFar = rows
    .filter(({ date }) => date.startsWith(month))
    .reduce((sum, row) => sum + amountOf(row, measure), 0);
  // In the first hours of a month a forecast would multiply one call by hundreds.
  const elapsed = Math.max(nowMs - start, DAY_MS);
  return { soFar, forecast: Math.max(soFar, (soFar * (end - start)) / elapsed) };
}

export interface NamedAmount {
  readonly name: string;
  readonly amount: number;
}

/** The names with the largest amounts, largest first. */
export function largest(
  rows: readonly DailyUsage[],
  nameOf: (row: DailyUsage) => string | undefined,
  { measure, count }: { readonly measure: Measure; readonly count: number },
): readonly NamedAmount[] {
  const amounts = new Map<string, number>();
  for (const row of rows) {
    const name = nameOf(row) ?? "";
    amounts.set(name, (amounts.get(name) ?? 0) + amountOf(row, measure));
  }
  return [...amounts]
    .map(([name, amount]) => ({ name, amount }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount || (a.name < b.name ? -1 : 1))
    .slice(0, count);
}

/** Models and intents in the order of their amounts, with the amount of each pair. */
export interface HeatMatrix {
  readonly models: readonly string[];
  readonly intents: readonly string[];
  readonly amountOf: (model: string, intent: string) => number;
  readonly largest: number;
}

/** Adds up the rows of the heat map, which has one for each weight of a call. */
export function heatMatrix(
  rows: readonly HeatMapRow[],
  { measure, modelsMax }: { readonly measure: Measure; readonly modelsMax: number },
): HeatMatrix {
  const pairs = new Map<string, number>();
  const models = new Map<string, number>();
  const intents = new Map<string, number>();
  const add = (sums: Map<string, number>, name: string, amount: number) => {
    sums.set(name, (sums.get(name) ?? 0) + amount);
  };
  for (const row of rows) {
    const amount = measure === "calls" ? row.action_count : row.total_aau;
    add(pairs, JSON.stringify([row.orm_model, row.intent]), amount);
    add(models, row.orm_model, amount);
    add(intents, row.intent, amount);
  }
  const ordered = (sums: Map<string, number>) =>
    [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  return {
    models: ordered(models).slice(0, modelsMax),
    intents: ordered(intents),
    amountOf: (model, intent) => pairs.get(JSON.stringify([model, intent])) ?? 0,
    largest: Math.max(0, ...pairs.values()),
  };
}
