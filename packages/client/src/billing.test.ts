import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

const EVENT = {
  specversion: "1.0",
  id: "1",
  source: "s",
  type: "t",
  data: { tool_name: "x" },
} as const;

describe("billing", () => {
  it("reaches the documented paths, as whom it is told to", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: {} });
    });
    const { billing } = createClient({ baseUrl: server.url, role: "admin" });
    await billing.getUsage({ from: "2026-01-01", group_by: "tool" });
    await billing.getUsageHeatMap();
    await billing.getStorageUsage();
    await billing.report([EVENT]);
    await billing.verifyUsage({ repair: true });
    await billing.listPrices({ org_id: "o" });
    await billing.setPrice({ scope: "aau", amount_usd: "1" });
    await billing.repriceUsage({ from: "2026-01-01", until: "2026-02-01" });
    await billing.listBudgets();
    await billing.removeBudget({ budget_id: "b/1", org_id: "o" });
    await billing.createPaymentCustomer();
    await billing.rebindPaymentCustomer({ customer_id: "cus_A", org_id: "o" });
    await billing.createSetupIntent({ customer_id: "cus_A" }, { idempotencyKey: "k" });
    await billing.listPaymentMethods();
    await billing.detachPaymentMethod({ pm_id: "pm_1" });
    expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
      "GET /billing/usage?from=2026-01-01&group_by=tool",
      "GET /billing/usage/heatmap",
      "GET /billing/usage/storage",
      `POST /billing/events ${JSON.stringify([EVENT])}`,
      'POST /billing/usage/verify {"repair":true}',
      "GET /billing/prices?org_id=o",
      'POST /billing/prices {"scope":"aau","amount_usd":"1"}',
      'POST /billing/reprice {"from":"2026-01-01","until":"2026-02-01"}',
      "GET /billing/budgets",
      "DELETE /billing/budgets/b%2F1?org_id=o",
      "POST /billing/customers",
      'PUT /billing/customers/cus_A {"org_id":"o"}',
      'POST /billing/setup-intent {"customer_id":"cus_A"}',
      "GET /billing/payment-methods",
      "DELETE /billing/payment-methods/pm_1",
    ]);
    expect(server.seen.every(({ headers }) => headers["x-user-role"] === "admin")).toBe(true);
    expect(server.seen[3]?.headers["content-type"]).toBe("application/cloudevents-batch+json");
    expect(server.seen[12]?.headers["idempotency-key"]).toBe("k");
  });

  it("goes through the pages of all organizations", async () => {
    await using server = await scriptedServer(({ url }, response) => {
      const organizations = [{ org_id: url.includes("cursor") ? "b" : "a" }];
      const next = url.includes("cursor") ? {} : { next_cursor: "a" };
      json(response, 200, { data: { organizations, ...next } });
    });
    const { billing } = createClient({ baseUrl: server.url, role: "operator" });
    const seen: string[] = [];
    for await (const { org_id } of billing.eachOrganizationUsage({ from: "2026-01-01" })) {
      seen.push(org_id);
    }
    expect(seen).toEqual(["a", "b"]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      "/billing/usage/organizations?from=2026-01-01",
      "/billing/usage/organizations?from=2026-01-01&cursor=a",
    ]);
  });

  it("takes usage as CSV, as the server wrote it", async () => {
    await using server = await scriptedServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/csv" }).end("date\r\n2026-01-05\r\n");
    });
    const { billing } = createClient({ baseUrl: server.url });
    expect(await billing.usageCsv({ tz: "Europe/Berlin" })).toBe("date\r\n2026-01-05\r\n");
    expect(server.seen[0]?.url).toBe("/billing/usage?tz=Europe%2FBerlin&format=csv");
  });
});
