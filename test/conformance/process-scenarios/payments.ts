import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { PaymentProvider } from "../parties/payment-provider.js";
import type { ProcessScenario } from "../scenario.js";
import { sharedSteward } from "../shared-steward.js";
import { Steward } from "../steward.js";

const KEY = "sk_test_notToBeSeenAnywhere";

/** An answer of a payment endpoint. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

/** Sends a request to a payment endpoint, by default as an organization's billing admin. */
type Ask = (request: string, body?: object, identity?: object) => Promise<Answer>;

function askerOf(steward: Steward, org: string): Ask {
  return async (request, body, identity = { "x-user-role": "admin" }) => {
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(`${steward.url}/billing/${path}`, {
      method,
      headers: {
        "x-org-id": org,
        ...identity,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    expect(text).not.toContain(KEY);
    return { status, retryAfter: headers.get("retry-after"), body: JSON.parse(text) };
  };
}

/** A server with a payment provider, and clients of two organizations. */
async function withProvider(
  run: (provider: PaymentProvider, ask: Ask, other: Ask) => Promise<void>,
): Promise<void> {
  await using provider = await PaymentProvider.start();
  const settings = { PAYMENT_SECRET_KEY: KEY, PAYMENT_API_BASE: provider.url };
  await using steward = await Steward.start(settings);
  await run(provider, askerOf(steward, randomUUID()), askerOf(steward, randomUUID()));
  expect([...provider.keys]).toEqual([`Bearer ${KEY}`]);
}

const refusal = (code: string) => ({ error: expect.stringMatching(/\S/) as string, code });

/** Saved payment methods. */
export const payments: readonly ProcessScenario[] = [
  {
    cites: ["C1-billing", "C4.5-setup-intent", "C4.5-payment-methods", "C4.5-detach"],
    title: "payment methods are saved, listed and detached",
    run: () =>
      withProvider(async (provider, ask) => {
        expect(await ask("GET payment-methods")).toMatchObject({ status: 200, body: { data: [] } });
        expect(await ask("POST setup-intent", { customer_id: "cus_A" })).toMatchObject({
          status: 200,
          body: { data: { id: "seti_1", client_secret: "seti_1_secret_2", customer: "cus_A" } },
        });
        expect(await ask("GET payment-methods")).toMatchObject({
          status: 200,
          body: { data: [{ id: "pm_of_cus_A", last4: "4242" }] },
        });
        expect(await ask("DELETE payment-methods/pm_of_cus_A")).toMatchObject({ status: 200 });
        expect(await ask("GET payment-methods")).toMatchObject({ body: { data: [] } });
        expect(provider.asked.at(-2)).toBe("POST /v1/payment_methods/pm_of_cus_A/detach");
      }),
  },
  {
    cites: ["D15-customer"],
    title:
      "a customer is bound by proof where somebody vouches for the organization, and rebound by the operator",
    run: async () => {
      await using provider = await PaymentProvider.start();
      const [org, other] = [randomUUID(), randomUUID()];
      await using steward = await Steward.start({
        PAYMENT_SECRET_KEY: KEY,
        PAYMENT_API_BASE: provider.url,
        SERVICE_PROXY_SECRET: "s3cret-of-the-proxy",
        SERVICE_OPERATOR_ORGANIZATIONS: org,
      });
      const admin = { "x-proxy-secret": "s3cret-of-the-proxy", "x-user-role": "admin" };
      const ask = askerOf(steward, org);
      const named = (customer_id: string) => ask("POST setup-intent", { customer_id }, admin);
      expect(await named("cus_A")).toMatchObject({ status: 403, body: refusal("POLICY_DENIED") });
      provider.name("cus_A", other);
      expect(await named("cus_A")).toMatchObject({ status: 403 });
      provider.name("cus_A", org);
      expect(await named("cus_A")).toMatchObject({ status: 200 });
      const made = await askerOf(steward, other)("POST customers", undefined, admin);
      expect(made.body).toEqual({ data: { customer_id: "cus_made", org_id: other } });
      const rebind = (identity: object) =>
        ask("PUT customers/cus_made", { org_id: org }, { ...admin, ...identity });
      expect(await rebind({})).toMatchObject({ status: 403 });
      expect(await rebind({ "x-user-role": "operator" })).toMatchObject({ status: 200 });
      expect(await named("cus_made")).toMatchObject({ status: 200 });
    },
  },
  {
    cites: ["D8-customer", "D8-list", "D8-foreign", "D8-detached", "D8-pm-id"],
    title: "nothing of another organization is listed or detached",
    run: () =>
      withProvider(async (provider, ask, other) => {
        await ask("POST setup-intent", { customer_id: "cus_A" });
        await other("POST setup-intent", { customer_id: "cus_B" });
        expect(await other("POST setup-intent", { customer_id: "cus_A" })).toMatchObject({
          status: 403,
          body: refusal("POLICY_DENIED"),
        });
        expect(await other("DELETE payment-methods/pm_of_cus_A")).toMatchObject({
          status: 404,
          body: refusal("NOT_FOUND"),
        });
        for (const id of ["card_1", "pm_", "pm_1%2Fdetach", "pm_%C3%A9"]) {
          expect(await ask(`DELETE payment-methods/${id}`)).toMatchObject({
            status: 400,
            body: { details: [{ field: "pm_id" }] },
          });
        }
        expect(provider.asked.filter((request) => request.endsWith("/detach"))).toEqual([]);
        expect((await ask("GET payment-methods")).body).toEqual({
          data: [
            {
              id: "pm_of_cus_A",
              type: "card",
              brand: "visa",
              last4: "4242",
              exp_month: 12,
              exp_year: 2030,
              created: 1_700_000_000,
            },
          ],
        });
        expect((await ask("DELETE payment-methods/pm_of_cus_A")).body).toEqual({
          data: { id: "pm_of_cus_A", detached: true },
        });
      }),
  },
  {
    cites: ["D8-errors", "D8-idempotency", "D8-secrets"],
    title: "what the provider refuses is told in this service's words, without secrets",
    run: () =>
      withProvider(async (provider, ask) => {
        await ask("POST setup-intent", { customer_id: "cus_A" });
        for (const [status, error, expected, code] of [
          [401, { message: `Invalid API Key provided: ${KEY}` }, 502, "PAYMENT_PROVIDER_FAILED"],
          [403, { message: `The key ${KEY} may not` }, 502, "PAYMENT_PROVIDER_FAILED"],
          [404, { code: "resource_missing", param: "customer" }, 404, "NOT_FOUND"],
          [400, { param: "customer" }, 400, "INVALID_ARGUMENT"],
          [400, { type: "idempotency_error" }, 409, "PAYMENT_CONFLICT"],
          [500, {}, 502, "PAYMENT_PROVIDER_FAILED"],
        ] as const) {
          provider.fail({ status, error: { type: "invalid_request_error", ...error } });
          const answer = await ask("GET payment-methods");
          expect(answer).toMatchObject({ status: expected, body: refusal(code) });
        }
        provider.fail({ status: 429, error: {}, headers: { "retry-after": "7" } });
        expect(await ask("GET payment-methods")).toEqual({
          status: 429,
          retryAfter: "7",
          body: refusal("PAYMENT_RATE_LIMITED"),
        });
      }),
  },
  {
    cites: ["D8-odd-answers"],
    title: "an answer that is no answer of the provider's is 502, and the service goes on",
    run: () =>
      withProvider(async (provider, ask) => {
        await ask("POST setup-intent", { customer_id: "cus_A" });
        for (const body of ['"text"', "7", "null", "[]", "{}", '{"data":null}', '{"error":5}']) {
          provider.fail({ status: 200, body });
          const answer = await ask("GET payment-methods");
          expect(answer, body).toMatchObject({
            status: 502,
            body: refusal("PAYMENT_PROVIDER_FAILED"),
          });
        }
        expect(await ask("GET payment-methods")).toMatchObject({ status: 200 });
      }),
  },
  {
    cites: ["D8-key", "D14-guard", "C5-refused"],
    title: "without a key it says so, after the permission and the request were looked at",
    run: async () => {
      const steward = await sharedSteward();
      const ask = askerOf(steward, randomUUID());
      const requests = [
        ["POST setup-intent", { customer_id: "cus_A" }, { customer_id: "" }, "customer_id"],
        ["GET payment-methods"],
        ["DELETE payment-methods/pm_1"],
      ] as const;
      for (const [request, body, wrongBody, field] of requests) {
        const nobody = { "x-user-role": "viewer" };
        expect(await ask(request, wrongBody, nobody)).toMatchObject({
          status: 403,
          body: refusal("POLICY_DENIED"),
        });
        if (field !== undefined) {
          expect(await ask(request, wrongBody)).toMatchObject({
            status: 400,
            body: { details: [{ field }] },
          });
        }
        expect(await ask(request, body)).toMatchObject({
          status: 503,
          body: {
            error: "Payment provider is not configured: set PAYMENT_SECRET_KEY",
            code: "PAYMENT_NOT_CONFIGURED",
          },
        });
      }
    },
  },
];
