import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { billingAdmin, DENIED, operator, reported, wrong } from "../billing-expectations.js";
import { expectRefusal } from "../expectations.js";
import { scenario, type Scenario } from "../scenario.js";

/** Costs of calls. */
export const prices: readonly Scenario[] = [
  scenario(
    ["D14-specific", "D14-periods", "C4.5-cost"],
    "the most specific price at the time of a call is what it costs",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      await operator(client).billing.setPrice({
        scope: "aau",
        amount_usd: "1",
        from: "2026-01-01",
      });
      await operator(client).billing.setPrice({
        scope: "aau",
        amount_usd: "2",
        from: "2026-02-01",
      });
      for (const [scope, subject, amount_usd] of [
        ["intent", "admin", "0.1"],
        ["model", "Order", "0.01"],
        ["tool", "pay", "0.001"],
      ] as const) {
        await operator(client).billing.setPrice({ scope, subject, amount_usd, from: "2026-03-01" });
      }
      const cost = async (id: string, time: string, data = {}) => {
        await billing.report([reported(id, time, data)]);
        const [row] = await billing.usage({ from: time.slice(0, 10), to: time.slice(0, 10) });
        return row?.total_cost_usd;
      };
      const everything = { tool_name: "pay", orm_model: "Order", intent: "admin" };
      expect(await cost("1", "2025-12-31T23:59:59.999Z", everything)).toBe(0);
      expect(await cost("2", "2026-01-31T23:59:59.999Z", everything)).toBe(5);
      expect(await cost("3", "2026-02-01T00:00:00.000Z", everything)).toBe(10);
      expect(await cost("4", "2026-03-01T00:00:00Z", { intent: "admin" })).toBe(0.1);
      const both = { orm_model: "Order", intent: "admin" };
      expect(await cost("5", "2026-03-02T00:00:00Z", both)).toBe(0.01);
      expect(await cost("6", "2026-03-03T00:00:00Z", everything)).toBe(0.001);
      const open = (await billing.prices()).filter(({ until }) => until === undefined);
      expect(open.map(({ amount_usd }) => amount_usd).sort()).toEqual([
        "0.001",
        "0.01",
        "0.1",
        "2",
      ]);
    },
  ),
  scenario(
    ["D14-periods"],
    "prices that overlap or make no sense are refused by name",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      await operator(client).billing.setPrice({
        scope: "aau",
        amount_usd: "1",
        from: "2026-01-01",
        until: "2026-02-01",
      });
      await operator(client).billing.setPrice({
        scope: "aau",
        amount_usd: "1",
        from: "2026-02-01",
      });
      for (const [field, price] of [
        ["from", { scope: "aau", amount_usd: "2", from: "2026-01-31" }],
        ["scope", { scope: "mood", amount_usd: "2" }],
        ["subject", { scope: "tool", amount_usd: "2" }],
        ["amount_usd", { scope: "aau", amount_usd: "-2", from: "2030-01-01" }],
        ["amount_usd", { scope: "aau", amount_usd: "0.0000000001", from: "2030-01-01" }],
        ["until", { scope: "aau", amount_usd: "2", from: "2030-01-02", until: "2030-01-01" }],
      ] as const) {
        await expectRefusal(client.wire, operator(client).billing.setPrice(price), wrong(field));
      }
      expect(await billing.prices()).toHaveLength(2);
    },
  ),
  scenario(
    ["D15-prices"],
    "prices are the operator's to set, of any organization, and its billing admin's to read",
    async ({ client }) => {
      const org = randomUUID();
      const tenant = billingAdmin(client.as({ "x-org-id": org }));
      const price = { scope: "aau", amount_usd: "1", from: "2026-01-01" };
      await expectRefusal(client.wire, tenant.billing.setPrice(price), DENIED);
      await expectRefusal(client.wire, tenant.billing.reprice("2026-01-01", "2026-02-01"), DENIED);
      const { price_id } = await operator(client).billing.setPrice({ ...price, org_id: org });
      expect(await tenant.billing.prices()).toMatchObject([{ price_id, amount_usd: "1" }]);
      expect(await operator(client).billing.prices(org)).toHaveLength(1);
      const stranger = billingAdmin(client.as({ "x-org-id": randomUUID() }));
      await expectRefusal(client.wire, stranger.billing.prices(org), DENIED);
      await expectRefusal(client.wire, operator(client).billing.prices("acme"), wrong("org_id"));
    },
  ),
  scenario(
    ["D14-frozen", "D7-money"],
    "pricing anew adds corrections to the nanodollar, and twice nothing more",
    async ({ client }) => {
      const { billing } = billingAdmin(client);
      const events = Array.from({ length: 10 }, (_, i) =>
        reported(`e${i}`, "2026-01-05T12:00:00Z"),
      );
      await operator(client).billing.setPrice({
        scope: "aau",
        amount_usd: "0.1",
        from: "2026-01-01",
      });
      await billing.report(events);
      const total = async () => (await billing.usage())[0]?.total_cost_usd;
      expect(await total()).toBe(1);
      const price = { scope: "tool", subject: "search", from: "2026-01-01" };
      await operator(client).billing.setPrice({ ...price, amount_usd: "0.100000001" });
      expect(await total()).toBe(1);
      expect(await operator(client).billing.reprice("2026-01-05", "2026-01-06")).toEqual({
        corrections: 10,
        difference_usd: "0.00000001",
      });
      expect(await total()).toBe(1.00000001);
      expect(await operator(client).billing.reprice("2026-01-01", "2027-01-01")).toEqual({
        corrections: 0,
        difference_usd: "0",
      });
      expect(await billing.verify()).toEqual([]);
    },
  ),
];
