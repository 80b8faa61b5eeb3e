import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { INTENTS } from "../../governance/index.js";
import { aauWeight } from "../events/aau.js";
import { addTotals, NO_USAGE, postingOf, postingOfCorrection, type Posting } from "../posting.js";
import { PriceList, setPrice, type Price } from "../prices/pricing.js";
import { dailyUsage, windowsOf, type DailyUsage } from "./report.js";
import { daysOf, parseReportQuery, type ReportQuery } from "./report-query.js";
import { correctionsOf } from "../prices/repricing.js";
import { rollupsOf, UNKNOWN, type HeatCell, type TimeRollup } from "./rollup.js";
import { pricedCallOf, type UsageEvent } from "../events/usage-event.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const START_MS = Date.parse("2026-03-27T00:00:00Z");
const IDS = systemIds(systemClock);
const HOUR_MS = 60 * 60 * 1000;

/** Events that affect usage: calls, possibly late; new prices; and pricing calls again. */
type Happening =
  | { readonly kind: "call"; readonly event: UsageEvent }
  | { readonly kind: "price"; readonly amount: bigint; readonly fromMs: number }
  | { readonly kind: "reprice" };

const someTime = fc.integer({ min: 0, max: 5 * 24 * 60 }).map((m) => START_MS + m * 60_000);
const someCall = fc
  .record({
    occurredAtMs: someTime,
    toolName: fc.constantFrom("search", "=sum", "a b"),
    intent: fc.constantFrom(...INTENTS),
    sessionId: fc.option(fc.constantFrom("s1", "s 2"), { nil: undefined }),
    ormModel: fc.option(fc.constantFrom("Order", "total"), { nil: undefined }),
  })
  .map((call) => ({ kind: "call" as const, event: eventOf(call) }));
const someHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: someCall },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("price" as const),
      amount: fc.bigInt({ min: 0n, max: 10n ** 17n }),
      fromMs: someTime,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "reprice" as const }) },
);

describe("reports made of rollups", () => {
  it("equal a naive recomputation, whatever happens in whatever order and batches", () => {
    const query = fc.record({
      tz: fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Los_Angeles"),
      group_by: fc.constantFrom(undefined, "tool", "session", "intent", "model"),
      from: fc.constantFrom(undefined, "2026-03-28", "2026-03-29"),
      to: fc.constantFrom(undefined, "2026-03-29", "2026-03-30"),
    });
    fc.assert(
      fc.property(fc.array(fc.array(someHappening), { maxLength: 12 }), query, (batches, text) => {
        const { postings, stored } = play(batches);
        const asked = parseReportQuery(text);
        expect(reportOf(stored.byTime, asked)).toEqual(naive(postings, asked));
        expect(sortCells(stored.heatMap)).toEqual(sortCells(naiveHeatMap(postings)));
      }),
    );
  });

  it("show in the heat map what daily usage shows in all", () => {
    fc.assert(
      fc.property(fc.array(fc.array(someHappening), { maxLength: 8 }), (batches) => {
        const { stored } = play(batches);
        const query = parseReportQuery({});
        const days = reportOf(stored.byTime, query);
        expect(days.reduce(addTotals, NO_USAGE)).toEqual(
          stored.heatMap.reduce(addTotals, NO_USAGE),
        );
      }),
    );
  });

  it("put a call on the day it has in the zone asked for", () => {
    const event = eventOf({ occurredAtMs: Date.parse("2026-03-28T23:30:00Z") });
    const stored = rollupsOf([postingOf(event)]);
    const dates = ["UTC", "Europe/Berlin", "America/New_York"].map((tz) => {
      const query = parseReportQuery({ tz });
      return reportOf(stored.byTime, query)[0]?.date;
    });
    expect(dates).toEqual(["2026-03-28", "2026-03-29", "2026-03-28"]);
  });
});

/** Processes events batch by batch as a store does: it adds the rollups of a batch to the stored ones. */
function play(batches: readonly (readonly Happening[])[]) {
  const postings: Posting[] = [];
  const rows = new Map<UsageEvent, bigint>();
  let stored = rollupsOf([]);
  let prices: readonly Price[] = [];
  for (const batch of batches) {
    const added: Posting[] = [];
    for (const happening of batch) {
      const list = new PriceList(prices);
      switch (happening.kind) {
        case "call": {
          const { event } = happening;
          const { cost } = list.priceOf(pricedCallOf(event, event.occurredAtMs));
          const priced = { ...event, cost };
          rows.set(priced, cost);
          added.push(postingOf(priced));
          break;
        }
        case "price":
          prices = withPrice(prices, happening.amount, happening.fromMs);
          break;
        case "reprice": {
          const costed = [...rows].map(([event, costNow]) => ({ event, costNow }));
          for (const { event, adjustment } of correctionsOf(costed, list, IDS, 0)) {
            rows.set(event, (rows.get(event) ?? 0n) + adjustment.difference);
            added.push(postingOfCorrection({ event, adjustment }));
          }
        }
      }
    }
    postings.push(...added);
    stored = merge(stored, rollupsOf(added));
  }
  return { postings, stored };
}

function withPrice(prices: readonly Price[], amount: bigint, fromMs: number): readonly Price[] {
  if (prices.some((price) => price.untilMs === undefined && price.fromMs >= fromMs)) return prices;
  const id = String(prices.length);
  const added = { id, scope: "aau" as const, subject: "", amount, fromMs, untilMs: undefined };
  const { ended } = setPrice(prices, added);
  return [...prices.map((price) => (price.id === ended?.id ? ended : price)), added];
}

function merge(a: ReturnType<typeof rollupsOf>, b: ReturnType<typeof rollupsOf>) {
  const sum = <T extends TimeRollup | HeatCell>(rows: readonly T[], keyOf: (row: T) => string) => {
    const sums = new Map<string, T>();
    for (const row of rows) {
      const former = sums.get(keyOf(row));
      sums.set(keyOf(row), former === undefined ? row : { ...row, ...addTotals(former, row) });
    }
    return [...sums.values()];
  };
  return {
    byTime: sum([...a.byTime, ...b.byTime], (r) =>
      JSON.stringify([r.dimension, r.grain, r.bucketMs, r.key]),
    ),
    heatMap: sum([...a.heatMap, ...b.heatMap], (c) => JSON.stringify([c.ormModel, c.intent])),
  };
}

/** The report made as from a store that has these totals. */
function reportOf(stored: readonly TimeRollup[], query: ReportQuery): readonly DailyUsage[] {
  const isIn = ({ bucketMs }: TimeRollup, range: { fromMs: number; untilMs: number }): boolean =>
    bucketMs >= range.fromMs && bucketMs < range.untilMs;
  const days = stored
    .filter((r) => r.dimension === "total" && r.grain === "day" && isIn(r, daysOf(query)))
    .map(({ bucketMs }) => bucketMs)
    .sort((a, b) => a - b);
  const dimension = query.groupBy ?? "total";
  const windows = windowsOf(days, query);
  const totals = windows.map((window) =>
    stored.filter((r) => r.dimension === dimension && r.grain === window.grain && isIn(r, window)),
  );
  return dailyUsage(windows, totals, query);
}

/** The report computed directly from the postings, each assigned to its own day. */
function naive(postings: readonly Posting[], query: ReportQuery): readonly DailyUsage[] {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: query.timeZone });
  const rows = new Map<string, DailyUsage>();
  for (const posting of postings) {
    const date = day.format(posting.occurredAtMs);
    if (date < query.from || date > query.to) continue;
    const group = groupOf(posting, query);
    const key = JSON.stringify([date, group ?? ""]);
    const { actionCount, totalAau, totalCost } = addTotals(rows.get(key) ?? NO_USAGE, posting);
    rows.set(key, { date, group, actionCount, totalAau, totalCost });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function groupOf(posting: Posting, query: ReportQuery): string | undefined {
  switch (query.groupBy) {
    case undefined:
      return undefined;
    case "tool":
      return posting.toolName;
    case "session":
      return posting.sessionId ?? UNKNOWN;
    case "intent":
      return posting.intent;
    case "model":
      return posting.ormModel ?? UNKNOWN;
  }
}

function naiveHeatMap(postings: readonly Posting[]): readonly HeatCell[] {
  const cells = new Map<string, HeatCell>();
  for (const posting of postings) {
    const { orgId, intent, aauWeight: weight } = posting;
    const ormModel = posting.ormModel ?? UNKNOWN;
    const key = JSON.stringify([ormModel, intent]);
    const totals = addTotals(cells.get(key) ?? NO_USAGE, posting);
    cells.set(key, { orgId, ormModel, intent, aauWeight: weight, ...totals });
  }
  return [...cells.values()];
}

function sortCells(cells: readonly HeatCell[]): readonly HeatCell[] {
  return [...cells].sort((a, b) =>
    `${a.ormModel} ${a.intent}` < `${b.ormModel} ${b.intent}` ? -1 : 1,
  );
}

function eventOf(over: Partial<UsageEvent>): UsageEvent {
  const intent = over.intent ?? "read_select";
  return {
    id: "00000000-0000-4000-8000-000000000000",
    orgId: ORG,
    sessionId: undefined,
    planId: undefined,
    stepId: undefined,
    toolName: "search",
    intentSource: "explicit",
    ormModel: undefined,
    cost: 0n,
    priceId: undefined,
    occurredAtMs: START_MS + HOUR_MS,
    createdAtMs: START_MS,
    source: undefined,
    sourceEventId: undefined,
    ...over,
    intent,
    aauWeight: aauWeight(intent),
  };
}
