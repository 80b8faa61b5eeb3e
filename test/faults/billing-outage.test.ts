import { PostgresServer } from "@steward/test-postgres";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { billingAdmin, reported } from "../conformance/billing-expectations.js";
import type { Wire } from "../conformance/client.js";
import { expectRefusal } from "../conformance/expectations.js";
import { PaymentProvider } from "../conformance/parties/payment-provider.js";
import { step } from "../conformance/scenario.js";
import { Steward } from "../conformance/steward.js";
import { LOSABLE_COMMITS, withLostCommits } from "./lost-commits.js";

// The database fails before a request, between its parts, and after a commit whose answer is lost.
describe("while the database goes away, and after it is back", () => {
  let postgres: PostgresServer;
  let provider: PaymentProvider;
  let steward: Steward;
  beforeAll(async () => {
    postgres = await PostgresServer.start({ settings: LOSABLE_COMMITS });
    provider = await PaymentProvider.start();
    steward = await Steward.start({
      SERVICE_DATABASE_URL: postgres.url,
      PAYMENT_SECRET_KEY: "sk_test_outage",
      PAYMENT_API_BASE: provider.url,
      SERVICE_LOG_LEVEL: "error",
    });
  });
  afterAll(async () => {
    await steward[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  const goAway = (): Promise<void> => postgres.stop("immediate");
  const losing = <T>(table: string, work: () => Promise<T>): Promise<T> =>
    withLostCommits(postgres.url, table, work);
  const asking = (org: string) => (request: string, body?: object) =>
    askForPayment(steward.url, org, request, body);

  it("makes one setup intent of a request that is repeated, and binds its customer", async () => {
    const [ask, askElsewhere] = [asking(randomUUID()), asking(randomUUID())];
    const setUp = ["POST setup-intent", { customer_id: "cus_A" }] as const;
    provider.meanwhile(goAway);
    expect(await ask(...setUp)).toEqual(AWAY);
    const askedFor = provider.asked.length;
    expect(await ask(...setUp)).toEqual(AWAY);
    expect(provider.asked).toHaveLength(askedFor);
    await postgres.start();
    expect(await losing("payment_customers", () => ask(...setUp))).toEqual(AWAY);
    expect(await askElsewhere(...setUp)).toMatchObject({ status: 403 });
    expect(await ask(...setUp)).toMatchObject({ status: 200, body: { data: { id: "seti_1" } } });
    expect(provider.intents).toBe(1);
  });

  it("detaches a payment method once", async () => {
    const org = randomUUID();
    const ask = asking(org);
    const listed = { status: 200, body: { data: [{ id: "pm_of_cus_B" }] } };
    await ask("POST setup-intent", { customer_id: "cus_B" });
    await goAway();
    expect(await ask("GET payment-methods")).toEqual(AWAY);
    expect(await ask("DELETE payment-methods/pm_of_cus_B")).toEqual(AWAY);
    await postgres.start();
    expect(await ask("GET payment-methods")).toMatchObject(listed);
    // Once the provider is called, the store is no longer needed.
    provider.meanwhile(goAway);
    expect(await ask("DELETE payment-methods/pm_of_cus_B")).toMatchObject({ status: 200 });
    await postgres.start();
    expect(await ask("GET payment-methods")).toMatchObject({ status: 200, body: { data: [] } });
    expect(provider.asked.filter((request) => request.endsWith("/detach"))).toHaveLength(1);
    // The end was recorded when the store was back.
    await vi.waitFor(
      async () =>
        expect(await recorded(steward.url, org, "payment.detach_method")).toEqual(ENDED_ONCE),
      60_000,
    );
  });

  it.each(["rest", "grpc"] as const)("counts once what is reported over %s", async (wire) => {
    const { billing } = billingAdmin(steward.client(wire));
    const events = ["a", "b"].map((id) => reported(id, "2026-01-05T12:00:00Z"));
    const report = () => billing.report(events);
    await goAway();
    await expectAway(wire, report());
    await postgres.start();
    // The server reads whether they were counted.
    expect(await losing("usage_events", report)).toEqual({ accepted: 2, duplicates: 0 });
    expect(await report()).toEqual({ accepted: 0, duplicates: 2 });
    expect(await billing.usage()).toMatchObject([{ date: "2026-01-05", action_count: 2 }]);
    expect(await billing.verify()).toEqual([]);
  });

  it("charges a budget once for each call that was made, and for no other", async () => {
    const client = steward.client("grpc");
    const { billing } = billingAdmin(client);
    await billing.setBudget({ ...IN_TOTAL, limit: "2" });
    const steps = ["a", "b", "c"].map((id) => step(id, "SELECT 1 AS n"));
    const { plan_id } = await client.submit({ steps });
    const execute = (id: string) => client.execute(plan_id, id);
    await losing("usage_reservations", () => expectAway("grpc", execute("a")));
    expect(await execute("a")).toMatchObject({ success: true });
    // Before its usage is recorded.
    await goAway();
    await postgres.start();
    // The refused call's reservation, if any, is released in the background.
    await vi.waitFor(
      async () => expect(await execute("b")).toMatchObject({ success: true }),
      60_000,
    );
    expect(await execute("c")).toMatchObject({ success: false, error_code: "QUOTA_EXCEEDED" });
    expect(await billing.usage()).toMatchObject([{ action_count: 2, total_aau: 2 }]);
  });
});

const IN_TOTAL = { scope: "organization", unit: "aau", period: "total", action: "block" } as const;

interface PaymentAnswer {
  readonly status: number;
  /** In s; 0 when absent. */
  readonly retryAfter: number;
  readonly body: unknown;
}

/** The error of a payment endpoint while the store is unavailable. */
const AWAY = {
  status: 503,
  retryAfter: expect.toSatisfy((seconds: number) => seconds > 0) as number,
  body: { code: "STORE_UNAVAILABLE", error: expect.any(String) as string },
};

/** What the audit log says of an operation that was begun once, newest first. */
const ENDED_ONCE = ["succeeded", "begun"];

/** The statuses of an organization's records of a kind, newest first. */
async function recorded(url: string, org: string, kind: string): Promise<readonly unknown[]> {
  const headers = { "x-org-id": org, "x-user-role": "admin" };
  const response = await fetch(`${url}/api/audit/records?kind=${kind}`, { headers });
  const { data } = (await response.json()) as {
    readonly data: { readonly records: readonly { readonly entry: string }[] };
  };
  return data.records.map(({ entry }) => {
    const { detail } = JSON.parse(entry) as { readonly detail: { readonly status: unknown } };
    return detail.status;
  });
}

/** Calls a payment endpoint as an organization's billing admin, always with the same key. */
async function askForPayment(
  url: string,
  org: string,
  request: string,
  body?: object,
): Promise<PaymentAnswer> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`${url}/billing/${path}`, {
    method,
    headers: {
      "x-org-id": org,
      "x-user-role": "admin",
      "idempotency-key": "key",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const retryAfter = Number(response.headers.get("retry-after"));
  return { status: response.status, retryAfter, body: await response.json() };
}

async function expectAway(wire: Wire, call: Promise<unknown>): Promise<void> {
  const expected = { code: "STORE_UNAVAILABLE", grpc: "UNAVAILABLE", rest: 503 };
  const { retryAfterS } = await expectRefusal(wire, call, expected);
  expect(retryAfterS).toBeGreaterThan(0);
}
