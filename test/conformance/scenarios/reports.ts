import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { billingAdmin, operator, reported, wrong, DENIED } from "../billing-expectations.js";
import type { Billing } from "../billing.js";
import { expectRefusal, rowsOf } from "../expectations.js";
import { scenario, scenarioOver, step, type Scenario } from "../scenario.js";

const NEW_YEAR = [
  reported("last", "2025-12-31T23:59:59.999Z"),
  reported("first", "2026-01-01T00:00:00Z", { intent: "write_insert" }),
  reported("noon", "2026-01-01T13:00:00+01:00", { intent: "admin" }),
  reported("later", "2026-01-03T00:00:00Z"),
];

/** Every operation, with invalid input if it has any. */
const OPERATIONS: Readonly<Record<string, (billing: Billing) => Promise<unknown>>> = {
  usage: (billing) => billing.usage({ from: "x" }),
  heatMap: (billing) => billing.heatMap(),
  storage: (billing) => billing.storage(),
  organizations: (billing) => billing.organizations({ from: "x" }),
  report: (billing) => billing.report([reported("", "x")]),
  verify: (billing) => billing.verify(),
  prices: (billing) => billing.prices(),
  setPrice: (billing) => billing.setPrice({ scope: "x", amount_usd: "x" }),
  reprice: (billing) => billing.reprice("x", "x"),
  budgets: (billing) => billing.budgets(),
  setBudget: (billing) =>
    billing.setBudget({ scope: "x", unit: "x", period: "x", limit: "x", action: "x" }),
  removeBudget: (billing) => billing.removeBudget("x"),
};

/** Access to usage reports, and their content. */
export const reports: readonly Scenario[] = [
  scenario(
    ["C5-refused", "C7-billing", "D14-guard"],
    "nobody but billing admins is told anything, not even what is wrong with a request",
    async ({ client }) => {
      for (const ask of Object.values(OPERATIONS)) {
        for (const identity of [
          { "x-user-role": "" },
          { "x-user-role": "administrator" },
          { "x-user-role": "user,admin" },
          { "x-user-role": "admin, admin" },
          { "x-user-permissions": "manage:bill,billing" },
        ]) {
          await expectRefusal(client.wire, ask(client.as(identity).billing), DENIED);
        }
      }
    },
  ),
  scenario(
    ["C5-role", "C5-permission"],
    "the role in any case, or the permission among others, lets a caller in",
    async ({ client }) => {
      for (const identity of [
        { "x-user-role": "ADMIN" },
        { "x-user-role": "aDmIn" },
        { "x-user-permissions": "read:plans, manage:billing ,x" },
      ]) {
        expect(await client.as(identity).billing.usage()).toEqual([]);
      }
    },
  ),
  scenario(
    ["C4.5-usage", "C8-range", "D7-days", "D7-range", "D14-events"],
    "days are UTC's, ascending, without empty ones, both ends of a range included",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      expect(await billing.report(NEW_YEAR)).toEqual({ accepted: 4, duplicates: 0 });
      const row = (date: string, action_count: number, total_aau: number) => ({
        date,
        action_count,
        total_aau,
        total_cost_usd: 0,
      });
      const [eve, day, third] = [
        row("2025-12-31", 1, 1),
        row("2026-01-01", 2, 8),
        row("2026-01-03", 1, 1),
      ];
      expect(await billing.usage()).toEqual([eve, day, third]);
      const all = { from: "1970-01-01", to: "9999-12-31" };
      expect(await billing.usage(all)).toEqual([eve, day, third]);
      expect(await billing.usage({ from: "2026-01-01" })).toEqual([day, third]);
      expect(await billing.usage({ from: "2025-12-31", to: "2026-01-01" })).toEqual([eve, day]);
      expect(await billing.usage({ from: "2026-01-02", to: "2026-01-02" })).toEqual([]);
      const stranger = billingAdmin(client.as({ "x-org-id": randomUUID() }));
      expect(await stranger.billing.usage()).toEqual([]);
    },
  ),
  scenario(
    ["D7-range", "D14-zone"],
    "a malformed or reversed range, an unknown zone or group is refused by name",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      for (const [field, query] of [
        ["from", { from: "2026-02-29" }],
        ["from", { from: "20260101" }],
        ["to", { to: "2026-1-1" }],
        ["from", { from: "2026-01-02", to: "2026-01-01" }],
        ["tz", { tz: "Europe/Atlantis" }],
        ["group_by", { group_by: "mood" }],
      ] as const) {
        await expectRefusal(client.wire, billing.usage(query), wrong(field));
      }
    },
  ),
  scenario(
    ["D14-zone", "D14-group"],
    "days can be those of a time zone, and rows those of a group",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      await billing.report([
        ...NEW_YEAR,
        reported("other", "2026-01-01T12:00:00Z", {
          tool_name: "create_order",
          session_id: "s-1",
          orm_model: "Order",
        }),
      ]);
      const kathmandu = await billing.usage({ tz: "Asia/Kathmandu", to: "2026-01-01" });
      expect(kathmandu).toMatchObject([{ date: "2026-01-01", action_count: 4 }]);
      const newYork = await billing.usage({ tz: "America/New_York" });
      expect(newYork.map(({ date, action_count }) => [date, action_count])).toEqual([
        ["2025-12-31", 2],
        ["2026-01-01", 2],
        ["2026-01-02", 1],
      ]);
      const range = { from: "2026-01-01", to: "2026-01-01" };
      for (const [group_by, member, groups] of [
        ["tool", "tool_name", ["create_order", "search"]],
        ["session", "session_id", ["s-1", "unknown"]],
        ["intent", "intent", ["admin", "read_select", "write_insert"]],
        ["model", "orm_model", ["Order", "unknown"]],
      ] as const) {
        const rows = await billing.usage({ ...range, group_by });
        expect(rows.map((row) => row[member])).toEqual(groups);
        expect(rows.reduce((sum, row) => sum + row.action_count, 0)).toBe(3);
      }
    },
  ),
  scenario(
    ["C1-billing", "C2.11-heatmap", "C4.5-heatmap", "D7-no-model"],
    "the heat map sums by model and intent",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [step("a", "SELECT 1"), step("b", "SELECT 1")],
      });
      await rowsOf(client.as({ "x-orm-model": "Order" }), plan_id, "a");
      await rowsOf(client, plan_id, "b");
      const { billing } = billingAdmin(client);
      await billing.report([
        reported("1", "2020-02-29T12:00:00Z", { orm_model: "Order" }),
        reported("2", "2020-02-29T12:00:00Z", { orm_model: "Order", intent: "write_delete" }),
      ]);
      const cell = (
        orm_model: string,
        intent: string,
        aau_weight: number,
        action_count: number,
      ) => ({
        orm_model,
        intent,
        aau_weight,
        total_aau: aau_weight * action_count,
        action_count,
      });
      expect(await billing.heatMap()).toEqual([
        cell("Order", "read_select", 1, 2),
        cell("Order", "write_delete", 3, 1),
        cell("unknown", "read_select", 1, 1),
      ]);
    },
  ),
  scenario(
    ["D22-storage"],
    "an organization is told what it stores, and nothing of others",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      await billing.report(NEW_YEAR);
      await expect
        .poll(async () => (await billing.storage()).bytes, { interval: 200 })
        .toMatchObject({ plans: 0, memory: 0, state: 0 });
      const { stored_bytes, bytes } = await billing.storage();
      expect(bytes.usage).toBeGreaterThan(4 * 64);
      expect(stored_bytes).toBe(bytes.usage + bytes.audit);
    },
  ),
  scenario(
    ["D14-organizations"],
    "the operator is told what every organization used, a page at a time, and its admins are not",
    async ({ client }) => {
      const orgs = [randomUUID(), randomUUID(), randomUUID()].sort();
      // A day without usage of any other scenario.
      const day = `2019-01-${client.wire === "rest" ? "07" : "08"}`;
      for (const [index, org] of orgs.entries()) {
        const events = orgs.slice(index).map((id) => reported(id, `${day}T12:00:00Z`));
        await billingAdmin(client.as({ "x-org-id": org })).billing.report(events);
      }
      const range = { from: day, to: day };
      await expectRefusal(client.wire, billingAdmin(client).billing.organizations(range), DENIED);
      const { billing } = operator(client);
      const first = await billing.organizations({ ...range, limit: 2 });
      const { next_cursor: cursor = "", organizations } = first;
      const second = await billing.organizations({ ...range, limit: 2, cursor });
      expect([...organizations, ...second.organizations]).toEqual(
        orgs.map((org_id, index) => {
          const calls = orgs.length - index;
          return { org_id, action_count: calls, total_aau: calls, total_cost_usd: 0 };
        }),
      );
      expect([organizations.length, second.next_cursor]).toEqual([2, undefined]);
      for (const [field, query] of [
        ["from", { from: "20260101" }],
        ["limit", { limit: 201 }],
        ["cursor", { cursor: "page two" }],
      ] as const) {
        await expectRefusal(client.wire, billing.organizations(query), wrong(field));
      }
    },
  ),
  scenario(
    ["D14-events"],
    "an event from outside counts once for ever, and a wrong batch not at all",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      const late = reported("1", "2024-02-29T23:00:00Z");
      expect(await billing.report([late, late])).toEqual({ accepted: 1, duplicates: 1 });
      const changed = { ...late, data: { tool_name: "other" } };
      expect(await billing.report([changed])).toEqual({ accepted: 0, duplicates: 1 });
      const elsewhere = { ...late, source: "urn:example:till" };
      expect(await billing.report([elsewhere])).toEqual({ accepted: 1, duplicates: 0 });
      const good = reported("good", "2024-02-29T23:00:00Z");
      for (const [field, event] of [
        ["events[1].time", reported("2", "yesterday")],
        ["events[1].time", reported("2", "2999-01-01T00:00:00Z")],
        ["events[1].data.intent", reported("2", "2024-02-29T23:00:00Z", { intent: "mischief" })],
        [
          "events[1].data.tool_name",
          reported("2", "2024-02-29T23:00:00Z", { tool_name: "a\u0000b" }),
        ],
        ["events[1].id", reported("", "2024-02-29T23:00:00Z")],
      ] as const) {
        await expectRefusal(client.wire, billing.report([good, event]), wrong(field));
      }
      expect(await billing.usage()).toMatchObject([{ date: "2024-02-29", action_count: 2 }]);
    },
  ),
  scenarioOver(
    "rest",
    ["D14-csv"],
    "reports are CSV on request, with exact money and without formulas",
    async ({ steward, client }) => {
      const identity = { "x-org-id": randomUUID(), "x-user-role": "admin" };
      const { billing } = client.as(identity);
      await client
        .as({ ...identity, "x-user-role": "operator" })
        .billing.setPrice({ scope: "aau", amount_usd: "1000000.000000001", from: "2020-01-01" });
      await billing.report([
        reported("1", "2026-01-01T00:00:00Z", { tool_name: '=say "hi", twice' }),
      ]);
      const get = async (path: string, headers = {}) => {
        const response = await fetch(steward.url + path, { headers: { ...identity, ...headers } });
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toMatch(/^text\/csv\b/);
        return response.text();
      };
      const days =
        "date,action_count,total_aau,total_cost_usd\r\n2026-01-01,1,1,1000000.000000001\r\n";
      expect(await get("/billing/usage?format=csv")).toBe(days);
      expect(await get("/billing/usage", { accept: "text/csv" })).toBe(days);
      expect(await get("/billing/usage?group_by=tool&format=csv")).toContain(
        '2026-01-01,"\'=say ""hi"", twice",1,1,1000000.000000001\r\n',
      );
      expect(await get("/billing/usage/heatmap?format=csv")).toBe(
        "orm_model,intent,aau_weight,total_aau,action_count\r\nunknown,read_select,1,1,1\r\n",
      );
    },
  ),
];
