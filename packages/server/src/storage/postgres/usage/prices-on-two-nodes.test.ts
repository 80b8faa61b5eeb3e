import { ADMIN } from "@steward/kernel/testing/nobody.js";
import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AnnouncedToolCall } from "../../../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { type Clock, systemClock } from "@steward/kernel/clock.js";
import { EventBus } from "../../../kernel/event-bus.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import type { AuditEvents } from "../../../kernel/tool-call.js";
import { PriceList, UsageRecorder, UsageService } from "../../../usage/index.js";
import { pricedCallOf } from "../../../usage/events/usage-event.js";
import type { Store } from "../../store.js";
import { recordToolCalls } from "../../testing/record-tool-calls.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";
import { rowsBetween } from "../../testing/rows-between.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OPERATOR: Caller = { ...ADMIN, orgId: ORG, roles: ["admin", "operator"] };
const ALL = { from: "2020-01-01", until: "2100-01-01" };

/** The usage services of one node. */
interface UsageNode extends AsyncDisposable {
  readonly store: Store;
  readonly service: UsageService;
  readonly recorder: UsageRecorder;
}

describe("prices that two nodes set while both record", () => {
  it("are what every row costs once each has priced anew", async () => {
    await using database = await storeDatabase();
    const nodes = [await openNode(database.url), await openNode(database.url)] as const;
    let rounds = 0;
    /** Pauses before the actions of a node in one round. */
    const pauses = fc.tuple(fc.nat(15), fc.nat(15), fc.nat(15));
    await fc.assert(
      fc.asyncProperty(pauses, pauses, async (...ofNodes) => {
        rounds += 1;
        const subjects = [`tool-${String(rounds)}`, "sql"];
        await Promise.all(
          nodes.flatMap((node, index) => {
            const [record = 0, report = 0, price = 0] = ofNodes[index] ?? [];
            return [
              after(record, () => recordCalls(node)),
              after(report, () => reportCalls(node, subjects[0] ?? "")),
              after(price, () => changePrices(node, subjects, rounds * 2 + index)),
            ];
          }),
        );
        await expectPriced(nodes[0]);
      }),
      { numRuns: 8 },
    );
    for (const node of nodes) await node[Symbol.asyncDispose]();
  });

  it("never overlap, whoever of two is first", async () => {
    await using database = await storeDatabase();
    await using a = await openNode(database.url);
    await using b = await openNode(database.url);
    const price = { scope: "tool", subject: "sql", amount_usd: "0.01" };
    const set = await Promise.allSettled([
      a.service.setPrice(OPERATOR, { ...price, from: "2020-01-01" }),
      b.service.setPrice(OPERATOR, { ...price, from: "2021-01-01" }),
    ]);
    const count = set.filter(({ status }) => status === "fulfilled").length;
    const prices = await a.service.prices(OPERATOR);
    expect(prices).toHaveLength(count);
    expect(prices.filter(({ untilMs }) => untilMs === undefined)).toHaveLength(1);
  });

  it("and totals that one of them verifies while the other records are found right", async () => {
    await using database = await storeDatabase();
    await using a = await openNode(database.url);
    await using b = await openNode(database.url);
    for (let round = 0; round < 10; round += 1) {
      const [differences] = await Promise.all([
        a.service.verify(OPERATOR, { repair: true }),
        reportCalls(b, "search"),
        recordCalls(b),
      ]);
      expect(differences).toEqual([]);
    }
    expect(await b.service.verify(OPERATOR, { repair: false })).toEqual([]);
  });
});

describe("a price in dollars that is set from now on", () => {
  // The rest of a budget after each call shows the price with which the call was reserved.
  it.each([
    ["ahead", 60_000],
    ["behind", -60_000],
  ])(
    "is what the next call is reserved with, while the database's clock is %s",
    async (_where, aheadMs) => {
      await using database = await storeDatabase();
      const clock: Clock = { nowMs: () => systemClock.nowMs() - aheadMs };
      await using node = await openNode(database.url, clock);
      const price = { scope: "intent", subject: "read_select" };
      await node.service.setPrice(OPERATOR, { ...price, amount_usd: "5", from: "2020-01-01" });
      await node.service.setPrice(OPERATOR, { ...price, amount_usd: "0.5" });
      const budget = { scope: "session", unit: "usd", period: "month", action: "block" };
      await node.service.setBudget(OPERATOR, { ...budget, limit: "0.7" });
      const reserve = () => node.store.reservations?.reserve(announcedCall());
      expect(await reserve()).toMatchObject({ kind: "admitted" });
      expect(await reserve()).toMatchObject({ kind: "refused" });
    },
  );
});

function announcedCall(): AnnouncedToolCall {
  return {
    orgId: ORG,
    eventId: randomUUID(),
    sessionId: "s",
    toolName: "sql",
    intent: "read_select",
    ormModel: undefined,
  };
}

async function openNode(url: string, clock: Clock = systemClock): Promise<UsageNode> {
  const store = await openTestStore(url, { clock });
  const bus = new EventBus<AuditEvents>(silentLog);
  const recorder = new UsageRecorder(store.usage.recording, bus, silentLog);
  const service = new UsageService({
    store: store.usage,
    recorder,
    gate: { refresh: () => undefined },
    clock,
    ids: systemIds(systemClock),
  });
  return {
    store,
    service,
    recorder,
    async [Symbol.asyncDispose]() {
      await recorder[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function after(ms: number, work: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await work();
}

async function recordCalls({ store, recorder }: UsageNode): Promise<void> {
  for (let batch = 0; batch < 3; batch += 1) {
    const calls = Array.from({ length: 4 }, () => ({
      orgId: ORG,
      finishedAtMs: systemClock.nowMs(),
    }));
    await recordToolCalls(store.plans, calls);
    await recorder.flush();
  }
}

async function reportCalls({ service }: UsageNode, toolName: string): Promise<void> {
  for (let batch = 0; batch < 4; batch += 1) {
    const events = Array.from({ length: 5 }, () => ({
      id: randomUUID(),
      source: "urn:example:test",
      time: undefined,
      toolName,
      intent: undefined,
      sessionId: undefined,
      ormModel: undefined,
    }));
    await service.ingest(OPERATOR, events);
  }
}

/** Sets a price for each subject from some instant on, then prices all recorded calls again. */
async function changePrices(
  { service }: UsageNode,
  subjects: readonly string[],
  number: number,
): Promise<void> {
  for (const subject of subjects) {
    const from = new Date(Date.parse("2020-01-01") + number * 60_000).toISOString();
    const amount_usd = `0.0000000${String(number + 10)}`;
    // A price that begins before the last one is refused, because the other node was faster.
    await service
      .setPrice(OPERATOR, { scope: "tool", subject, amount_usd, from })
      .catch(() => undefined);
  }
  await service.reprice(OPERATOR, ALL);
}

/** After its corrections, the cost of every row must match the price list. */
async function expectPriced({ store, recorder }: UsageNode): Promise<void> {
  await recorder.flush();
  const prices = new PriceList(await store.usage.prices.list(ORG));
  const rows = await rowsBetween(store.usage, ORG, { fromMs: 0, untilMs: 1e15 }, 100_000);
  const wrong = rows.filter(({ event, costNow }) => {
    const { cost } = prices.priceOf(pricedCallOf(event, event.occurredAtMs));
    return cost !== costNow;
  });
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(0);
}
