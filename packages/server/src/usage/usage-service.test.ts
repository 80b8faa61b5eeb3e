import { describe, expect, it } from "vitest";
import type { Caller } from "@steward/kernel/caller.js";
import { HandClock } from "../storage/testing/hand-clock.js";
import { openConnection } from "../storage/sqlite/connection.js";
import { recordToolCalls } from "../storage/testing/record-tool-calls.js";
import type { ExternalEvent } from "./events/external-event.js";
import { admin, operator, ORG, UsageRoom } from "./testing/usage-room.js";

const NOON_MS = Date.parse("2026-01-05T12:00:00Z");
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

const external = (over: Partial<ExternalEvent> = {}): ExternalEvent => ({
  id: "1",
  source: "shop",
  time: "2025-12-31T23:59:59.999Z",
  toolName: "create_invoice",
  intent: undefined,
  sessionId: undefined,
  ormModel: undefined,
  ...over,
});

const CAP = { scope: "organization", unit: "aau", period: "day", limit: "10", action: "block" };

describe("the usage service", () => {
  it("shows every call that has ended when a report is asked for", async () => {
    await using room = await UsageRoom.open();
    await recordToolCalls(room.store.plans, [
      { orgId: ORG, finishedAtMs: NOON_MS },
      { orgId: ORG, finishedAtMs: NOON_MS, intent: "admin", toolName: "execute_sql" },
      { orgId: OTHER_ORG, finishedAtMs: NOON_MS },
    ]);
    const totals = { actionCount: 2, totalAau: 6, totalCost: 0n };
    expect(await room.service.daily(admin(), {})).toEqual({
      groupBy: undefined,
      rows: [{ date: "2026-01-05", group: undefined, ...totals }],
    });
    expect((await room.service.daily(admin(), { group_by: "tool" })).rows).toMatchObject([
      { group: "execute_sql", totalAau: 5 },
      { group: "sql", totalAau: 1 },
    ]);
    expect((await room.service.daily(admin(), { to: "2026-01-04" })).rows).toEqual([]);
    expect(await room.service.heatMap(admin())).toHaveLength(2);
  });

  it("tells the operator what every organization used, a page at a time", async () => {
    await using room = await UsageRoom.open();
    await recordToolCalls(room.store.plans, [
      { orgId: OTHER_ORG, finishedAtMs: NOON_MS, intent: "admin" },
      { orgId: ORG, finishedAtMs: NOON_MS },
    ]);
    const first = await room.service.byOrganization({ limit: 1 });
    expect(first).toEqual({
      organizations: [{ orgId: ORG, actionCount: 1, totalAau: 1, totalCost: 0n }],
      nextCursor: ORG,
    });
    const next = { limit: 1, cursor: ORG };
    expect(await room.service.byOrganization(next)).toEqual({
      organizations: [{ orgId: OTHER_ORG, actionCount: 1, totalAau: 5, totalCost: 0n }],
    });
    for (const [field, parameters] of [
      ["from", { from: "2026-01-02", to: "2026-01-01" }],
      ["limit", { limit: 0 }],
      ["limit", { limit: 201 }],
      ["cursor", { cursor: "x" }],
    ] as const) {
      await expect(room.service.byOrganization(parameters)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field }],
      });
    }
  });

  it("counts reported events once, tells their intent, and puts them on their own day", async () => {
    await using room = await UsageRoom.open();
    const batch = [external(), external({ id: "2", intent: "admin" }), external()];
    expect(await room.service.ingest(admin(), batch)).toEqual({ accepted: 2, duplicates: 1 });
    expect(await room.service.ingest(admin(), batch)).toEqual({ accepted: 0, duplicates: 3 });
    expect((await room.service.daily(admin(), { group_by: "intent" })).rows).toMatchObject([
      { date: "2025-12-31", group: "admin", actionCount: 1, totalAau: 5 },
      { date: "2025-12-31", group: "write_insert", actionCount: 1, totalAau: 3 },
    ]);
  });

  it.each([
    ["events[0].time", external({ time: "2025-12-31" }), false],
    ["events[0].time", external({ time: "2025-02-30T00:00:00Z" }), true],
    ["events[0].time", external({ time: "2999-01-01T00:00:00Z" }), true],
    ["events[0].time", external({ time: "1969-12-31T00:00:00Z" }), true],
    ["events[0].data.intent", external({ intent: "mischief" }), true],
  ])("takes none of a batch in which %s is wrong", async (field, event, wrong) => {
    await using room = await UsageRoom.open();
    const ingest = room.service.ingest(admin(), [event, external({ id: "2" })]);
    if (wrong) {
      await expect(ingest).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field }],
      });
      expect((await room.service.daily(admin(), {})).rows).toEqual([]);
    } else {
      expect(await ingest).toMatchObject({ accepted: 2 });
    }
  });

  it("prices calls by the list of their time, and keeps what they cost when prices change", async () => {
    const clock = new HandClock();
    await using room = await UsageRoom.open(clock);
    const { service } = room;
    await service.setPrice(operator(), {
      scope: "aau",
      amount_usd: "0.000000007",
      from: "2026-01-01",
    });
    await recordToolCalls(room.store.plans, [
      { orgId: ORG, finishedAtMs: NOON_MS, intent: "admin" },
    ]);
    await room.recorder.flush();
    await service.setPrice(operator(), {
      scope: "tool",
      subject: "sql",
      amount_usd: "1",
      from: "2026-01-03",
    });
    const cost = async () => (await service.heatMap(admin()))[0]?.totalCost;
    expect(await cost()).toBe(35n);
    const range = { from: "2026-01-05", until: "2026-01-06" };
    expect(await service.reprice(operator(), range)).toEqual({
      corrections: 1,
      difference: 1_000_000_000n - 35n,
    });
    expect(await cost()).toBe(1_000_000_000n);
    expect(await service.reprice(operator(), range)).toEqual({ corrections: 0, difference: 0n });
    expect(await service.verify(admin(), { repair: false })).toEqual([]);
  });

  it.each([
    ["scope", { scope: "mood", amount_usd: "1" }],
    ["amount_usd", { scope: "aau", amount_usd: "one" }],
    ["amount_usd", { scope: "aau", amount_usd: "0.0000000001" }],
    ["subject", { scope: "tool", amount_usd: "1" }],
    ["from", { scope: "aau", amount_usd: "1", from: "tomorrow" }],
    ["until", { scope: "aau", amount_usd: "1", from: "2026-01-02", until: "2026-01-01" }],
  ])("refuses a price whose %s is wrong", async (field, input) => {
    await using room = await UsageRoom.open();
    await expect(room.service.setPrice(operator(), input)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      details: [{ field }],
    });
  });

  it.each([
    ["scope", { scope: "team" }],
    ["unit", { unit: "eur" }],
    ["period", { period: "week" }],
    ["limit", { limit: "-1" }],
    ["limit", { unit: "usd", limit: "1e9" }],
    ["action", { action: "shout" }],
  ])("refuses a budget whose %s is wrong", async (field, over) => {
    await using room = await UsageRoom.open();
    const cap = { scope: "session", unit: "aau", period: "day", limit: "10", action: "block" };
    await expect(room.service.setBudget(admin(), { ...cap, ...over })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      details: [{ field }],
    });
  });

  it("lets the operator set the prices and budgets of any organization", async () => {
    await using room = await UsageRoom.open();
    const { service } = room;
    await service.setPrice(operator(OTHER_ORG), { scope: "aau", amount_usd: "2", org_id: ORG });
    expect(await service.prices(admin())).toMatchObject([{ amount: 2_000_000_000n }]);
    expect(await service.prices(operator(OTHER_ORG), ORG)).toHaveLength(1);
    expect(await service.prices(operator(OTHER_ORG))).toEqual([]);
    const { id } = await service.setBudget(operator(OTHER_ORG), { ...CAP, org_id: ORG });
    expect(await service.budgets(admin())).toMatchObject([{ budget: { id, setBy: "operator" } }]);
    await service.removeBudget(operator(OTHER_ORG), id, ORG);
    expect(await service.budgets(admin())).toEqual([]);
    for (const foreign of [
      service.prices(admin(), OTHER_ORG),
      service.budgets(admin(), OTHER_ORG),
      service.setBudget(admin(), { ...CAP, org_id: OTHER_ORG }),
      service.removeBudget(admin(), id, OTHER_ORG),
    ]) {
      await expect(foreign).rejects.toMatchObject({ code: "POLICY_DENIED" });
    }
    const misspelt = service.prices(operator(), "acme");
    await expect(misspelt).rejects.toThrow("org_id: must be the UUID of an organization");
  });

  it("lets an organization set no budget beyond the operator's, nor remove that", async () => {
    await using room = await UsageRoom.open();
    const { service } = room;
    const { id } = await service.setBudget(operator(), CAP);
    await expect(service.setBudget(admin(), { ...CAP, limit: "11" })).rejects.toThrow(
      "limit: must not be higher than 10 AAU per day, the operator's budget for the organization",
    );
    await service.setBudget(admin(), { ...CAP, limit: "10" });
    await service.setBudget(admin(), { ...CAP, limit: "11", period: "month" });
    await service.setBudget(operator(), { ...CAP, limit: "11" });
    expect(await service.budgets(admin())).toHaveLength(3);
    await expect(service.removeBudget(admin(), id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const [ceiling] = (await service.budgets(admin())).filter(
      ({ budget }) => budget.setBy === "operator",
    );
    const removal = service.removeBudget(admin(), ceiling?.budget.id ?? "");
    await expect(removal).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });

  it("blocks a call that the operator's budget does not cover, whatever the organization's allows", async () => {
    await using room = await UsageRoom.open();
    await room.service.setBudget(admin(), CAP);
    await room.service.setBudget(operator(), { ...CAP, limit: "1" });
    const call = { orgId: ORG, eventId: "1", sessionId: "s", toolName: "sql", ormModel: undefined };
    await expect(room.gate.admit({ ...call, intent: "admin" })).rejects.toThrow(
      "The operator's budget for the organization of 1 AAU per day does not cover this call",
    );
  });

  it("shows of each budget what is used in its own unit and period, and of whom", async () => {
    await using room = await UsageRoom.open();
    await room.service.setPrice(operator(), {
      scope: "aau",
      amount_usd: "0.5",
      from: "2020-01-01",
    });
    const call = { orgId: ORG, sessionId: "s1", finishedAtMs: NOON_MS, intent: "write_insert" };
    await recordToolCalls(room.store.plans, [call, { ...call, sessionId: "s2" }]);
    await room.recorder.flush();
    const cap = {
      scope: "organization",
      unit: "aau",
      period: "total",
      limit: "10",
      action: "warn",
    };
    await room.service.setBudget(admin(), cap);
    await room.service.setBudget(admin(), { ...cap, unit: "usd", limit: "2.5" });
    await room.service.setBudget(admin(), { ...cap, scope: "session" });
    const shown = async (caller: Caller) =>
      new Map(
        (await room.service.budgets(caller)).map(({ budget, usage }) => [
          `${budget.scope} ${budget.unit}`,
          usage,
        ]),
      );
    expect(await shown({ ...admin(), sessionId: "s1" })).toEqual(
      new Map([
        ["organization aau", { used: 6n, remaining: 4n }],
        ["organization usd", { used: 3_000_000_000n, remaining: 0n }],
        ["session aau", { used: 3n, remaining: 7n }],
      ]),
    );
    expect((await shown(admin())).get("session aau")).toBeUndefined();
  });

  it("removes the organization's own budgets only", async () => {
    await using room = await UsageRoom.open();
    const cap = { scope: "session", unit: "aau", period: "day", limit: "10", action: "block" };
    const { id } = await room.service.setBudget(admin(), cap);
    await expect(room.service.removeBudget(admin(OTHER_ORG), id)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await room.service.removeBudget(admin(), id);
    expect(await room.service.budgets(admin())).toEqual([]);
  });

  it("finds and repairs totals that somebody has changed behind its back", async () => {
    await using room = await UsageRoom.open();
    await recordToolCalls(room.store.plans, [{ orgId: ORG, finishedAtMs: NOON_MS }]);
    await room.recorder.flush();
    const intruder = openConnection(room.path, false);
    intruder.exec(
      "UPDATE usage_totals SET total_aau = 9 WHERE dimension = 'total' AND grain = 'day'",
    );
    intruder.close();
    const found = await room.service.verify(admin(), { repair: true });
    expect(
      found.map(({ total, stored, recomputed }) => [total, stored.totalAau, recomputed.totalAau]),
    ).toEqual([["total/day 2026-01-05T00:00:00.000Z", 9, 1]]);
    expect(await room.service.verify(admin(), { repair: false })).toEqual([]);
    expect((await room.service.daily(admin(), {})).rows).toMatchObject([{ totalAau: 1 }]);
  });
});
