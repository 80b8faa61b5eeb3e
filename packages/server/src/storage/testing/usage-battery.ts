import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import type { CustomerBindings } from "../../payments/ports.js";
import type { PlanEngine } from "../../plans/index.js";
import type { RowRange, UsageEvent, UsageStore } from "../../usage/ports.js";
import { verifyTotals } from "../../usage/reports/verification.js";
import { recordToolCalls } from "./record-tool-calls.js";
import { externalSample, priceSample } from "./usage-samples.js";
import { rowsBetween } from "./rows-between.js";

/** An engine under test. */
export interface UsageStoreUnderTest extends AsyncDisposable {
  readonly plans: PlanEngine;
  readonly usage: UsageStore;
  readonly customers: CustomerBindings;
}

const IDS = systemIds(systemClock);
const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";
const NOON_MS = Date.parse("2026-01-05T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;
const ALL = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
const DAYS = [{ grain: "day", ...ALL }] as const;

/**
 * The required behaviour of every engine for usage and customers. Within one test, each call of
 * `open` opens the same database, as a restarted process would.
 */
export function usageStoreBattery(engine: string, open: () => Promise<UsageStoreUnderTest>): void {
  describe(`usage store on ${engine}`, () => {
    let store: UsageStoreUnderTest;
    let usage: UsageStore;

    beforeEach(async () => {
      store = await open();
      usage = store.usage;
    });
    afterEach(async () => {
      // After every test, the stored totals must equal the sums of the rows.
      expect(await verifyTotals(usage, ORG, { repair: false })).toEqual([]);
      expect(await verifyTotals(usage, OTHER_ORG, { repair: false })).toEqual([]);
      await store[Symbol.asyncDispose]();
    });

    const restart = async (): Promise<void> => {
      await store[Symbol.asyncDispose]();
      store = await open();
      usage = store.usage;
    };
    const rows = (orgId = ORG) => rowsBetween(usage, orgId, ALL, 1000);
    const storedTotals = () => usage.ledgers.exclusively(ORG, (ledger) => ledger.storedTotals(ORG));

    it("makes each tool call one row, with its own id and time", async () => {
      const [call] = await recordToolCalls(store.plans, [
        { orgId: ORG, intent: "write_insert", ormModel: "Order", finishedAtMs: NOON_MS },
      ]);
      const [recorded] = await usage.recording.recordPending(10);
      expect(recorded).toEqual({
        id: call?.eventId,
        orgId: ORG,
        sessionId: "session",
        planId: call?.planId,
        stepId: "step",
        toolName: "sql",
        intent: "write_insert",
        intentSource: "explicit",
        aauWeight: 3,
        ormModel: "Order",
        cost: 0n,
        priceId: undefined,
        occurredAtMs: NOON_MS,
        createdAtMs: NOON_MS,
        source: undefined,
        sourceEventId: undefined,
      });
      expect(await rows()).toEqual([{ event: recorded, costNow: 0n }]);
    });

    it("goes on where it stopped, in batches and across restarts, doubling nothing", async () => {
      const calls = await recordToolCalls(
        store.plans,
        Array.from({ length: 5 }, (_, i) => ({ orgId: ORG, finishedAtMs: NOON_MS + i })),
      );
      expect(await usage.recording.recordPending(2)).toHaveLength(2);
      await restart();
      expect(await usage.recording.recordPending(2)).toHaveLength(2);
      expect(await usage.recording.recordPending(2)).toHaveLength(1);
      expect(await usage.recording.recordPending(2)).toEqual([]);
      expect((await rows()).map(({ event }) => event.id)).toEqual(calls.map((c) => c.eventId));
    });

    it("keeps totals of days, quarters and cells", async () => {
      await recordToolCalls(store.plans, [
        { orgId: ORG, finishedAtMs: NOON_MS },
        { orgId: ORG, finishedAtMs: NOON_MS + 1, intent: "admin", ormModel: "Order" },
        { orgId: ORG, finishedAtMs: NOON_MS + DAY_MS, toolName: "search" },
      ]);
      await usage.recording.recordPending(10);
      const midnightMs = Date.parse("2026-01-05T00:00:00Z");
      expect(await usage.reports.days(ORG, ALL)).toEqual([midnightMs, midnightMs + DAY_MS]);
      const nextDay = { fromMs: midnightMs + DAY_MS, untilMs: midnightMs + 2 * DAY_MS };
      expect(await usage.reports.days(ORG, nextDay)).toEqual([nextDay.fromMs]);
      const first = { key: "", actionCount: 2, totalAau: 6, totalCost: 0n };
      const second = { key: "", actionCount: 1, totalAau: 1, totalCost: 0n };
      const days = [{ grain: "day", ...nextDay }, ...DAYS] as const;
      expect(await usage.reports.totals(ORG, "total", days)).toEqual([[second], [first, second]]);
      const quarters = [
        { grain: "quarter", fromMs: 0, untilMs: NOON_MS },
        { grain: "quarter", fromMs: NOON_MS, untilMs: NOON_MS + 1 },
      ] as const;
      expect(await usage.reports.totals(ORG, "tool", quarters)).toEqual([
        [],
        [{ key: "sql", actionCount: 2, totalAau: 6, totalCost: 0n }],
      ]);
      expect(await usage.reports.heatMap(ORG)).toMatchObject([
        { ormModel: "Order", intent: "admin", aauWeight: 5, totalAau: 5, actionCount: 1 },
        { ormModel: "unknown", intent: "read_select", aauWeight: 1, totalAau: 2, actionCount: 2 },
      ]);
    });

    it("keeps organizations apart", async () => {
      await recordToolCalls(store.plans, [{ orgId: ORG }, { orgId: OTHER_ORG }, { orgId: ORG }]);
      await usage.recording.recordPending(10);
      expect(await rows(ORG)).toHaveLength(2);
      expect(await rows(OTHER_ORG)).toHaveLength(1);
      expect(await usage.reports.heatMap(OTHER_ORG)).toMatchObject([{ actionCount: 1 }]);
    });

    it("counts an event from outside once for ever, on the day it occurred", async () => {
      const late = external("shop", "1", { occurredAtMs: NOON_MS - 30 * DAY_MS });
      const twice = [late, external("shop", "1"), external("shop", "2"), external("till", "1")];
      expect(
        (await usage.recording.recordExternal(ORG, () => twice)).map((event) => event.id),
      ).toEqual([twice[0], twice[2], twice[3]].map((event) => event?.id));
      await restart();
      expect(await usage.recording.recordExternal(ORG, () => [external("shop", "1")])).toEqual([]);
      const elsewhere = { ...external("shop", "1"), orgId: OTHER_ORG };
      expect(await usage.recording.recordExternal(OTHER_ORG, () => [elsewhere])).toHaveLength(1);
      expect(await usage.reports.days(ORG, ALL)).toEqual([
        Date.parse("2025-12-06T00:00:00Z"),
        Date.parse("2026-01-05T00:00:00Z"),
      ]);
      expect(await usage.reports.totals(ORG, "total", DAYS)).toMatchObject([
        [{ actionCount: 1 }, { actionCount: 2 }],
      ]);
    });

    it("freezes the price of its time on the row", async () => {
      await usage.prices.change(ORG, () => ({
        added: priceSample({ fromMs: 0 }),
        ended: undefined,
      }));
      const ended = priceSample({ fromMs: 0, untilMs: NOON_MS });
      await usage.prices.change(ORG, (prices) => {
        expect(prices).toEqual([priceSample({ fromMs: 0 })]);
        return { added: priceSample({ id: "new", amount: 11n, fromMs: NOON_MS }), ended };
      });
      expect(await usage.prices.list(ORG)).toEqual([
        ended,
        priceSample({ id: "new", amount: 11n, fromMs: NOON_MS }),
      ]);
      await recordToolCalls(store.plans, [
        { orgId: ORG, finishedAtMs: NOON_MS - 1, intent: "admin" },
        { orgId: ORG, finishedAtMs: NOON_MS, intent: "admin" },
        { orgId: OTHER_ORG, intent: "admin" },
      ]);
      const recorded = await usage.recording.recordPending(10);
      expect(recorded.map(({ cost, priceId }) => [cost, priceId])).toEqual([
        [35n, "price"],
        [55n, "new"],
        [0n, undefined],
      ]);
    });

    it("adds corrections beside the rows, and knows what each row costs now", async () => {
      await recordToolCalls(store.plans, [{ orgId: ORG, finishedAtMs: NOON_MS }]);
      const [event] = await usage.recording.recordPending(10);
      if (event === undefined) throw new Error("a row was recorded");
      for (const difference of [9n, -2n]) {
        const id = IDS.uuid();
        const adjustment = {
          id,
          eventId: event.id,
          priceId: undefined,
          difference,
          createdAtMs: 0,
        };
        await usage.ledgers.exclusively(ORG, (ledger) =>
          ledger.correct(ORG, [{ event, adjustment }]),
        );
      }
      expect(await rows()).toEqual([{ event, costNow: 7n }]);
      expect(await usage.reports.totals(ORG, "total", DAYS)).toMatchObject([
        [{ actionCount: 1, totalCost: 7n }],
      ]);
    });

    it("keeps sums of money that no double can hold", async () => {
      const cost = 2n ** 53n + 1n;
      const events = ["1", "2"].map((id) => ({ ...external("shop", id), cost }));
      await usage.recording.recordExternal(ORG, () => events);
      expect(await usage.reports.totals(ORG, "total", DAYS)).toMatchObject([
        [{ totalCost: 2n * cost }],
      ]);
      expect(await rows()).toMatchObject([{ costNow: cost }, { costNow: cost }]);
    });

    it("tells what each organization used in a range of days, a page at a time", async () => {
      const third = "33333333-3333-4333-8333-333333333333";
      await recordToolCalls(store.plans, [
        { orgId: OTHER_ORG, finishedAtMs: NOON_MS, intent: "admin" },
        { orgId: ORG, finishedAtMs: NOON_MS },
        { orgId: ORG, finishedAtMs: NOON_MS + DAY_MS, toolName: "search" },
        { orgId: third, finishedAtMs: NOON_MS - DAY_MS },
      ]);
      await usage.recording.recordPending(10);
      const own = { orgId: ORG, actionCount: 2, totalAau: 2, totalCost: 0n };
      const others = { orgId: OTHER_ORG, actionCount: 1, totalAau: 5, totalCost: 0n };
      const fromMs = Date.parse("2026-01-05T00:00:00Z");
      const range = { fromMs, untilMs: fromMs + 2 * DAY_MS };
      expect(await usage.reports.organizationTotals({ ...range, limit: 10 })).toEqual([
        own,
        others,
      ]);
      expect(await usage.reports.organizationTotals({ ...range, limit: 1 })).toEqual([own]);
      expect(await usage.reports.organizationTotals({ ...range, limit: 1, after: ORG })).toEqual([
        others,
      ]);
      expect(
        await usage.reports.organizationTotals({ ...range, limit: 1, after: OTHER_ORG }),
      ).toEqual([]);
      const day = { ...range, fromMs: fromMs + DAY_MS };
      expect(await usage.reports.organizationTotals({ ...day, limit: 10 })).toEqual([
        { ...own, actionCount: 1, totalAau: 1 },
      ]);
    });

    it("tells what was used in a budget's window", async () => {
      await recordToolCalls(store.plans, [
        { orgId: ORG, finishedAtMs: NOON_MS, sessionId: "a" },
        { orgId: ORG, finishedAtMs: NOON_MS, sessionId: "b", intent: "admin" },
        { orgId: ORG, finishedAtMs: NOON_MS + DAY_MS, sessionId: "a" },
      ]);
      await usage.recording.recordPending(10);
      const fromMs = Date.parse("2026-01-05T00:00:00Z");
      const day = { fromMs, untilMs: fromMs + DAY_MS };
      const windows = [
        { sessionId: undefined, ...day },
        { sessionId: "a", ...day },
        { sessionId: "a", fromMs: 0, untilMs: undefined },
        { sessionId: "c", fromMs: 0, untilMs: undefined },
      ];
      const totals = await Promise.all(
        windows.map((window) => usage.reports.totalsIn(ORG, window)),
      );
      expect(totals.map((total) => total.totalAau)).toEqual([6, 1, 2, 0]);
    });

    it("repairs totals that are wrong, missing or too many", async () => {
      await recordToolCalls(store.plans, [{ orgId: ORG }, { orgId: ORG, intent: "admin" }]);
      await usage.recording.recordPending(10);
      const { byTime, heatMap } = await storedTotals();
      const [first, second, third] = byTime;
      const [cell] = heatMap;
      if (
        first === undefined ||
        second === undefined ||
        third === undefined ||
        cell === undefined
      ) {
        throw new Error("totals were kept");
      }
      await usage.ledgers.exclusively(ORG, (ledger) =>
        ledger.replaceTotals({
          byTime: [
            { ...first, totalCost: 5n },
            { ...second, actionCount: 0 },
            { ...third, key: "ghost" },
          ],
          heatMap: [{ ...cell, totalAau: 99 }],
        }),
      );
      expect(await verifyTotals(usage, ORG, { repair: true })).toHaveLength(4);
      expect(await storedTotals()).toEqual({ byTime, heatMap });
    });

    it("pages through rows of one instant without losing or repeating one", async () => {
      const seven = Array.from({ length: 7 }, (_, i) => external("shop", String(i)));
      await usage.recording.recordExternal(ORG, () => seven);
      const seen: string[] = [];
      let range: RowRange = ALL;
      for (;;) {
        const page = await rowsBetween(usage, ORG, range, 3);
        seen.push(...page.map(({ event }) => event.sourceEventId ?? ""));
        const last = page.at(-1);
        if (last === undefined) break;
        range = { ...ALL, after: last.event };
      }
      expect(seen.sort()).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
    });

    it("replaces a budget for the same that the same party has set, and deletes only the organization's own", async () => {
      const budget = {
        id: IDS.uuid(),
        scope: "organization",
        unit: "usd",
        period: "month",
        limit: 2n ** 60n,
        action: "block",
        setBy: "organization",
      } as const;
      const operators = { ...budget, id: IDS.uuid(), setBy: "operator" } as const;
      await usage.budgets.save(ORG, { ...budget, id: IDS.uuid(), limit: 1n });
      await usage.budgets.save(ORG, budget);
      await usage.budgets.save(ORG, operators);
      expect(await usage.budgets.list(ORG)).toEqual([operators, budget]);
      expect(await usage.budgets.delete(ORG, operators.id)).toBe(true);
      expect(await usage.budgets.list(ORG)).toEqual([budget]);
      expect(await usage.budgets.delete(OTHER_ORG, budget.id)).toBe(false);
      expect(await usage.budgets.delete(ORG, budget.id)).toBe(true);
      expect(await usage.budgets.list(ORG)).toEqual([]);
    });

    it("binds a customer to one organization, until it is rebound", async () => {
      const { customers } = store;
      expect(await customers.customerOf(ORG)).toBeUndefined();
      expect(await customers.bind(ORG, "cus_A")).toBe(true);
      expect(await customers.bind(OTHER_ORG, "cus_A")).toBe(false);
      expect(await customers.bind(ORG, "cus_A")).toBe(true);
      await restart();
      expect(await store.customers.organizationOf("cus_A")).toBe(ORG);
      expect(await store.customers.customerOf(OTHER_ORG)).toBeUndefined();
      expect(await store.customers.customerOf(ORG)).toBe("cus_A");
      for (const customer of ["cus_A", "cus_B"]) await store.customers.rebind(OTHER_ORG, customer);
      expect(await store.customers.organizationOf("cus_A")).toBe(OTHER_ORG);
      expect(await store.customers.customerOf(ORG)).toBeUndefined();
      expect(await store.customers.bind(ORG, "cus_B")).toBe(false);
      expect(await store.customers.bind(OTHER_ORG, "cus_A")).toBe(true);
    });
  });
}

function external(
  source: string,
  sourceEventId: string,
  over: Partial<UsageEvent> = {},
): UsageEvent {
  const said = { orgId: ORG, occurredAtMs: NOON_MS, createdAtMs: NOON_MS };
  return externalSample({ ...said, source, sourceEventId, ...over });
}
