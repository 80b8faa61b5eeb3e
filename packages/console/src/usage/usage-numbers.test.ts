import type { DailyUsage } from "@steward/client";
import { describe, expect, it } from "vitest";
import { amountsByDay, heatMatrix, largest, lastDays, monthForecast } from "./usage-numbers.js";

const NOON = Date.UTC(2026, 2, 11, 12);

function day(date: string, cost: number, over: Partial<DailyUsage> = {}): DailyUsage {
  return { date, action_count: 1, total_aau: 2, total_cost_usd: cost, ...over };
}

describe("days", () => {
  it("are the last ones with today, and those without usage are 0", () => {
    const days = lastDays(3, NOON);
    expect(days).toEqual(["2026-03-09", "2026-03-10", "2026-03-11"]);
    const rows = [day("2026-03-09", 1), day("2026-03-09", 2), day("2026-03-11", 4)];
    expect(amountsByDay(rows, days, "cost").map(({ amount }) => amount)).toEqual([3, 0, 4]);
    expect(amountsByDay(rows, days, "calls").map(({ amount }) => amount)).toEqual([2, 0, 1]);
  });
});

describe("the forecast of a month", () => {
  it("goes on as the month has gone so far", () => {
    const rows = [day("2026-02-28", 100), day("2026-03-01", 10), day("2026-03-11", 11)];
    // 10.5 of 31 days have gone.
    expect(monthForecast(rows, "cost", NOON)).toEqual({ soFar: 21, forecast: 62 });
  });

  it("takes the first hours for a whole day, and is never below what is there", () => {
    const rows = [day("2026-03-01", 1)];
    expect(monthForecast(rows, "cost", Date.UTC(2026, 2, 1, 1))).toEqual({
      soFar: 1,
      forecast: 31,
    });
    expect(monthForecast([], "cost", NOON)).toEqual({ soFar: 0, forecast: 0 });
  });
});

it("the largest are few, and those of nothing are none of them", () => {
  const rows = [
    day("2026-03-01", 1, { tool_name: "sql" }),
    day("2026-03-02", 5, { tool_name: "crm" }),
    day("2026-03-02", 5, { tool_name: "sql" }),
    day("2026-03-02", 0, { tool_name: "free" }),
  ];
  const by = (count: number) =>
    largest(rows, ({ tool_name: name }) => name, { measure: "cost", count });
  expect(by(9)).toEqual([
    { name: "sql", amount: 6 },
    { name: "crm", amount: 5 },
  ]);
  expect(by(1)).toHaveLength(1);
});

it("the heat map adds up what calls of several weights have in common", () => {
  const row = (model: string, intent: string, calls: number) => ({
    ...{ orm_model: model, intent, aau_weight: 1, action_count: calls, total_aau: calls },
  });
  const matrix = heatMatrix(
    [row("Invoice", "read_select", 2), row("Invoice", "read_select", 3), row("a", "b", 1)],
    { measure: "calls", modelsMax: 1 },
  );
  expect(matrix.models).toEqual(["Invoice"]);
  expect(matrix.intents).toEqual(["read_select", "b"]);
  expect(matrix.amountOf("Invoice", "read_select")).toBe(5);
  expect(matrix.amountOf("Invoice", "b")).toBe(0);
  expect(matrix.largest).toBe(5);
});
