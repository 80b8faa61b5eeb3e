import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StripePaymentProvider } from "../../../adapters/payment-stripe/index.js";
import { GOOD_KEY, StripeServer } from "../../../adapters/payment-stripe/testing/stripe-server.js";
import { PaymentService } from "../../../payments/index.js";
import { recordToolCalls } from "../../../storage/testing/record-tool-calls.js";
import { ORG, UsageRoom } from "../../../usage/testing/usage-room.js";
import { send, startRestServer, type TestRestServer } from "../testing/rest-server.js";

const NOON_MS = Date.parse("2026-01-05T12:00:00Z");
const admin = { "x-org-id": ORG, "x-user-role": "Admin" };
const operator = { "x-org-id": ORG, "x-user-role": "operator" };
const other = { "x-org-id": "22222222-2222-4222-8222-222222222222", "x-user-role": "admin" };

const ENDPOINTS = [
  "GET /billing/usage",
  "GET /billing/usage/heatmap",
  "GET /billing/usage/organizations",
  "POST /billing/usage/verify",
  "POST /billing/events",
  "GET /billing/prices",
  "POST /billing/prices",
  "POST /billing/reprice",
  "GET /billing/budgets",
  "POST /billing/budgets",
  "DELETE /billing/budgets/b",
  "POST /billing/setup-intent",
  "POST /billing/customers",
  "PUT /billing/customers/cus_A",
  "GET /billing/payment-methods",
  "DELETE /billing/payment-methods/nonsense",
];

const WRONG_QUERIES = [
  ["from", "/billing/usage?from=2026-02-30"],
  ["to", "/billing/usage?to=yesterday"],
  ["from", "/billing/usage?from=2026-01-02&to=2026-01-01"],
  ["from", "/billing/usage?from=2026-01-02&from=2026-01-01"],
  ["tz", "/billing/usage?tz=Mars/Olympus"],
  ["group_by", "/billing/usage?group_by=mood"],
  ["format", "/billing/usage?format=xml"],
  ["format", "/billing/usage/heatmap?format=xml"],
] as const;

const WRONG_PAYMENTS = [
  ["customer_id", "POST /billing/setup-intent", {}],
  ["customer_id", "POST /billing/setup-intent", { customer_id: 7 }],
  ["customer_id", "POST /billing/setup-intent", { customer_id: "" }],
  ["pm_id", "DELETE /billing/payment-methods/card_1", undefined],
] as const;

/** The error for a caller who is not a billing admin. */
const MISSING =
  /needs the role .*admin.* or the permission manage:billing|needs the role operator;/;

describe("the billing endpoints", () => {
  let room: UsageRoom;
  let stripe: StripeServer;
  let server: TestRestServer;

  beforeEach(async () => {
    room = await UsageRoom.open();
    stripe = await StripeServer.start();
    const provider = new StripePaymentProvider({ secretKey: GOOD_KEY, apiBase: stripe.url });
    const payments = new PaymentService(provider, room.store.customers);
    server = await startRestServer({ billing: { usage: room.service, payments } });
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
    await room[Symbol.asyncDispose]();
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = admin) =>
    send(server, `GET ${path}`, { headers });
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = admin) =>
    send(server, `POST ${path}`, { headers, body });
  const text = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${server.url}${path}`, { headers: { ...admin, ...headers } });
    return { type: response.headers.get("content-type"), text: await response.text() };
  };

  it.each(ENDPOINTS)(
    "refuse %s to others than billing admins, malformed or not",
    async (request) => {
      const refused = { error: expect.stringMatching(MISSING) as string, code: "POLICY_DENIED" };
      const body = /^P(OS|U)T/.test(request) ? { body: "{ nonsense" } : {};
      const callers = [
        {},
        { "x-user-role": "viewer" },
        { "x-user-permissions": "manage:bill" },
        { "idempotency-key": "k".repeat(1000) },
      ];
      for (const headers of callers) {
        const answer = await send(server, request, { headers, ...body });
        expect([answer.status, answer.body]).toMatchObject([403, refused]);
      }
    },
  );

  it("let the permission in as well as the role", async () => {
    const headers = { "x-user-permissions": "read:plans, manage:billing" };
    expect((await get("/billing/usage", headers)).status).toBe(200);
  });

  it("report daily usage and the heat map of the caller's organization (Contract §2.11)", async () => {
    await recordToolCalls(room.store.plans, [
      { orgId: ORG, finishedAtMs: NOON_MS, ormModel: "Order" },
      { orgId: ORG, finishedAtMs: NOON_MS, intent: "write_insert" },
    ]);
    expect((await get("/billing/usage")).body).toEqual({
      data: [{ date: "2026-01-05", action_count: 2, total_aau: 4, total_cost_usd: 0 }],
    });
    expect((await get("/billing/usage/heatmap")).body).toEqual({
      data: [
        {
          orm_model: "Order",
          intent: "read_select",
          aau_weight: 1,
          total_aau: 1,
          action_count: 1,
        },
        {
          orm_model: "unknown",
          intent: "write_insert",
          aau_weight: 3,
          total_aau: 3,
          action_count: 1,
        },
      ],
    });
    expect((await get("/billing/usage", other)).body).toEqual({ data: [] });
    expect((await get("/billing/usage?from=2026-01-05&to=2026-01-05")).body.data).toHaveLength(1);
    expect((await get("/billing/usage?to=2026-01-04")).body).toEqual({ data: [] });
  });

  it("group daily usage, in the days of a time zone, as JSON or CSV", async () => {
    await recordToolCalls(room.store.plans, [
      { orgId: ORG, finishedAtMs: Date.parse("2026-01-05T23:30:00Z"), toolName: '=say "hi"' },
    ]);
    const query = "tz=Europe/Berlin&group_by=tool";
    expect((await get(`/billing/usage?${query}`)).body).toEqual({
      data: [
        {
          date: "2026-01-06",
          tool_name: '=say "hi"',
          action_count: 1,
          total_aau: 1,
          total_cost_usd: 0,
        },
      ],
    });
    const csv = {
      type: "text/csv; charset=utf-8; header=present",
      text:
        "date,tool_name,action_count,total_aau,total_cost_usd\r\n" +
        `2026-01-06,"'=say ""hi""",1,1,0\r\n`,
    };
    expect(await text(`/billing/usage?${query}&format=csv`)).toEqual(csv);
    expect(await text(`/billing/usage?${query}`, { accept: "text/csv" })).toEqual(csv);
    const heatMap = await text("/billing/usage/heatmap?format=csv");
    expect(heatMap.text).toBe(
      "orm_model,intent,aau_weight,total_aau,action_count\r\nunknown,read_select,1,1,1\r\n",
    );
  });

  it("name the parameter that is wrong", async () => {
    for (const [field, path] of WRONG_QUERIES) {
      const { status, body } = await get(path);
      expect([path, status, body]).toMatchObject([
        path,
        400,
        {
          code: "INVALID_ARGUMENT",
          error: expect.stringMatching(`^${field}: `) as unknown,
          details: [{ field }],
        },
      ]);
    }
  });

  it("take a batch of CloudEvents once", async () => {
    const event = {
      specversion: "1.0",
      id: "1",
      source: "shop",
      type: "tool-call",
      time: "2025-12-24T18:00:00+01:00",
      subject: "left alone",
      data: { tool_name: "create_invoice" },
    };
    const type = { "content-type": "application/cloudevents-batch+json; charset=utf-8" };
    const reported = await post("/billing/events", [event, event], { ...admin, ...type });
    expect([reported.status, reported.body]).toEqual([
      200,
      { data: { accepted: 1, duplicates: 1 } },
    ]);
    expect((await get("/billing/usage")).body.data).toMatchObject([{ date: "2025-12-24" }]);
    for (const [field, wrong] of [
      ["events[0].specversion", { ...event, specversion: "0.3" }],
      ["events[0].data.tool_name", { ...event, data: { tool_name: "a\u0000b" } }],
      ["events[0].data.tool_name", { ...event, data: {} }],
      ["events[0].time", { ...event, time: "at noon" }],
      ["events[0].data.intent", { ...event, data: { ...event.data, intent: "mischief" } }],
    ]) {
      const { status, body } = await post("/billing/events", [wrong]);
      expect([status, body]).toMatchObject([400, { details: [{ field }] }]);
    }
  });

  it("set prices and budgets, and show them", async () => {
    const price = await post(
      "/billing/prices",
      {
        scope: "aau",
        amount_usd: "0.000000005",
        from: "2026-01-01",
      },
      operator,
    );
    expect([price.status, price.body.data]).toMatchObject([
      201,
      { scope: "aau", subject: "", amount_usd: "0.000000005", from: "2026-01-01T00:00:00.000Z" },
    ]);
    expect((await get("/billing/prices")).body.data).toEqual([price.body.data]);
    expect((await get("/billing/prices", other)).body.data).toEqual([]);
    await recordToolCalls(room.store.plans, [{ orgId: ORG, finishedAtMs: NOON_MS }]);
    expect((await get("/billing/usage")).body.data).toMatchObject([{ total_cost_usd: 5e-9 }]);
    await post(
      "/billing/prices",
      {
        scope: "tool",
        subject: "sql",
        amount_usd: "1",
        from: "2026-01-01",
      },
      operator,
    );
    const range = { from: "2026-01-01", until: "2026-02-01" };
    expect((await post("/billing/reprice", range, operator)).body.data).toEqual({
      corrections: 1,
      difference_usd: "0.999999995",
    });
    const cap = { scope: "session", unit: "usd", period: "day", limit: "2.5", action: "warn" };
    const budget = await post("/billing/budgets", cap);
    expect([budget.status, budget.body.data]).toMatchObject([201, cap]);
    const { budget_id: id } = budget.body.data as { budget_id: string };
    const path = `DELETE /billing/budgets/${id}`;
    expect((await send(server, path, { headers: other })).status).toBe(404);
    expect((await send(server, path, { headers: admin })).body).toEqual({
      data: { budget_id: id, removed: true },
    });
    expect((await get("/billing/budgets")).body.data).toEqual([]);
  });

  it("verify that the totals are what the rows add up to", async () => {
    expect((await post("/billing/usage/verify", {})).body).toEqual({ data: [] });
  });

  it("save, list and detach payment methods (Decision §8)", async () => {
    stripe.addCustomer("cus_A");
    stripe.addCard("pm_1", "cus_A");
    stripe.addBankAccount("pm_2", "cus_A");
    const setup = await post("/billing/setup-intent", { customer_id: "cus_A" });
    expect([setup.status, setup.body]).toEqual([
      200,
      { data: { id: "seti_1", client_secret: "seti_1_secret_1", customer: "cus_A" } },
    ]);
    expect((await get("/billing/payment-methods")).body.data).toContainEqual({
      id: "pm_2",
      type: "sepa_debit",
      brand: null,
      last4: "3000",
      exp_month: null,
      exp_year: null,
      created: 1_700_000_000,
    });
    const detach = "DELETE /billing/payment-methods/pm_1";
    expect((await send(server, detach, { headers: other })).status).toBe(404);
    const { status, body } = await send(server, detach, { headers: admin });
    expect([status, body]).toEqual([200, { data: { id: "pm_1", detached: true } }]);
    expect((await get("/billing/payment-methods")).body.data).toMatchObject([{ id: "pm_2" }]);
    const stolen = await post("/billing/setup-intent", { customer_id: "cus_A" }, other);
    expect(stolen.status).toBe(403);
  });

  it("name what is wrong with a request about payments", async () => {
    for (const [field, request, body] of WRONG_PAYMENTS) {
      const answer = await send(server, request, { headers: admin, body });
      expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field }] }]);
    }
  });

  it("tell what the provider says, and how long to wait", async () => {
    stripe.fail({ kind: "answer", status: 429, error: {}, headers: { "retry-after": "9" } });
    const { status, headers, body } = await post("/billing/setup-intent", { customer_id: "c" });
    expect([status, headers.get("retry-after"), body]).toEqual([
      429,
      "9",
      {
        error: "The payment provider limits requests now; try again in a moment",
        code: "PAYMENT_RATE_LIMITED",
      },
    ]);
  });
});

describe("the billing endpoints of a server without a store or a payment key", () => {
  it("say what is missing, after the permission and the request were looked at", async () => {
    await using server = await startRestServer();
    const headers = admin;
    const usage = await send(server, "GET /billing/usage", { headers });
    expect([usage.status, usage.body]).toEqual([
      503,
      {
        error: "Usage is not recorded: no store is configured; set SERVICE_DATABASE_URL",
        code: "STORE_UNAVAILABLE",
      },
    ]);
    const malformed = await send(server, "GET /billing/usage?from=x", { headers });
    expect(malformed.status).toBe(400);
    const methods = await send(server, "GET /billing/payment-methods", { headers });
    expect([methods.status, methods.body]).toEqual([
      503,
      {
        error: "Payment provider is not configured: set PAYMENT_SECRET_KEY",
        code: "PAYMENT_NOT_CONFIGURED",
      },
    ]);
  });
});
