import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { StripePaymentProvider } from "./stripe-provider.js";
import { ApiDescription, type OpenApi } from "./testing/api-description.js";
import { GOOD_KEY, StripeServer, type Fault } from "./testing/stripe-server.js";

/** Tells the SDK not to send the request again, which takes it half a second. */
const ONCE = { "stripe-should-retry": "false" };
const descriptionFile = join(process.env["STEWARD_CHECK_DATA"] ?? "", "stripe/stripe-trimmed.json");

// Every exchange of the real SDK is held against Stripe's own description, where that is at hand.
describe("payments against a server of our own", () => {
  stripeBattery(undefined);
});

describe.skipIf(!existsSync(descriptionFile))(
  "payments against Stripe's description of its API (needs STEWARD_CHECK_DATA)",
  () => {
    stripeBattery(descriptionFile);
  },
);

function stripeBattery(description: string | undefined): void {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as OpenApi;
  let server: StripeServer;
  let provider: StripePaymentProvider;

  beforeEach(async () => {
    server = await StripeServer.start(
      description === undefined ? undefined : new ApiDescription(read(description)),
    );
    server.addCustomer("cus_A");
    provider = connect(server.url);
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    expect(server.violations).toEqual([]);
  });

  it("creates a setup intent for a customer", async () => {
    expect(await provider.createSetupIntent("cus_A", undefined)).toEqual({
      id: "seti_1",
      clientSecret: "seti_1_secret_1",
      customerId: "cus_A",
    });
  });

  it("creates one setup intent for one idempotency key", async () => {
    const first = await provider.createSetupIntent("cus_A", "key");
    expect(await provider.createSetupIntent("cus_A", "key")).toEqual(first);
    expect((await provider.createSetupIntent("cus_A", "other")).id).not.toBe(first.id);
  });

  it("says so when an idempotency key is used for something else", async () => {
    server.addCustomer("cus_B");
    await provider.createSetupIntent("cus_A", "key");
    await expect(provider.createSetupIntent("cus_B", "key")).rejects.toMatchObject({
      code: "PAYMENT_CONFLICT",
    });
  });

  it("does not create a second intent when the first answer is lost", async () => {
    server.fail({ kind: "hang up" });
    expect(await provider.createSetupIntent("cus_A", undefined)).toMatchObject({ id: "seti_1" });
    const keys = server.seen.map((request) => request.idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it("creates a page that saves a card of the customer and leads back", async () => {
    const page = await provider.createSetupPage("cus_A", "https://steward.example/payment-methods");
    expect(page).toEqual({ id: "cs_test_1", url: expect.stringContaining("/c/pay/cs_test_1") });
    expect(server.seen.at(-1)?.parameters).toEqual({
      ...{ mode: "setup", customer: "cus_A", "allowed_payment_method_types[0]": "card" },
      success_url: "https://steward.example/payment-methods",
      cancel_url: "https://steward.example/payment-methods",
    });
    await expect(provider.createSetupPage("cus_X", "https://s.example/")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("lists payment methods of every type, with what each has", async () => {
    server.addCard("pm_card", "cus_A", 2);
    server.addBankAccount("pm_bank", "cus_A");
    server.addCard("pm_foreign", "cus_B");
    const methods = await provider.listPaymentMethods("cus_A");
    expect(methods).toContainEqual({
      id: "pm_card",
      type: "card",
      brand: "visa",
      last4: "4242",
      expMonth: 8,
      expYear: 2030,
      created: 2,
    });
    expect(methods).toContainEqual({
      id: "pm_bank",
      type: "sepa_debit",
      brand: undefined,
      last4: "3000",
      expMonth: undefined,
      expYear: undefined,
      created: 1_700_000_000,
    });
    expect(methods).toHaveLength(2);
  });

  it("lists beyond the first page", async () => {
    for (let i = 0; i < 150; i += 1) server.addCard(`pm_${String(i)}`, "cus_A", i);
    const methods = await provider.listPaymentMethods("cus_A");
    expect(methods.map((method) => method.created)).toEqual(
      Array.from({ length: 150 }, (_, i) => 149 - i),
    );
  });

  it("makes a customer that names its organization, and reads whose another one is", async () => {
    const customer = await provider.createCustomer("o-1", "key");
    expect(await provider.createCustomer("o-1", "key")).toBe(customer);
    expect(await provider.organizationNamedBy(customer)).toBe("o-1");
    expect(await provider.organizationNamedBy("cus_A")).toBeUndefined();
    await expect(provider.organizationNamedBy("cus_X")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("tells whose a payment method is, and detaches it", async () => {
    server.addCard("pm_card", "cus_A");
    expect(await provider.customerOf("pm_card")).toBe("cus_A");
    await provider.detach("pm_card");
    expect(await provider.customerOf("pm_card")).toBeUndefined();
    expect(await provider.customerOf("pm_unknown")).toBeUndefined();
  });

  it.each<[string, Fault, object]>([
    [
      "a customer that does not exist, however the provider calls it",
      missing("id"),
      { code: "NOT_FOUND", message: "The payment provider has no such customer" },
    ],
    ["a bad request", answer(400, { param: "customer" }), { code: "INVALID_ARGUMENT" }],
    ["a key without the right", answer(403), { code: "PAYMENT_PROVIDER_FAILED" }],
    ["a request under way", answer(409), { code: "PAYMENT_CONFLICT" }],
    [
      "too many requests",
      answer(429, { code: "rate_limit" }, { "retry-after": "7" }),
      { code: "PAYMENT_RATE_LIMITED", retryAfterMs: 7000 },
    ],
    [
      "too many requests, without saying how long to wait",
      answer(429, { code: "rate_limit" }),
      { code: "PAYMENT_RATE_LIMITED", retryAfterMs: 1000 },
    ],
    ["a failure of its own", answer(500), { code: "PAYMENT_PROVIDER_FAILED" }],
    ["an overload", answer(503), { code: "PAYMENT_PROVIDER_FAILED" }],
    ["something that is no JSON", { kind: "garbage" }, { code: "PAYMENT_PROVIDER_FAILED" }],
  ])("says what it means when the provider answers %s", async (_, fault, error) => {
    server.fail(fault);
    await expect(provider.listPaymentMethods("cus_A")).rejects.toMatchObject(error);
  });

  it("tries once more after a failure that may pass", async () => {
    server.fail({ ...answer(500), headers: {} });
    expect(await provider.listPaymentMethods("cus_A")).toEqual([]);
    expect(server.seen).toHaveLength(2);
  });

  it("gives up on a provider that does not answer", async () => {
    server.fail({ kind: "silence" }, { kind: "silence" });
    const impatient = connect(server.url, 100);
    await expect(impatient.listPaymentMethods("cus_A")).rejects.toMatchObject({
      code: "PAYMENT_TIMEOUT",
    });
  });

  it("gives up on a provider that cannot be reached", async () => {
    const gone = await StripeServer.start();
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    await expect(connect(url).listPaymentMethods("cus_A")).rejects.toMatchObject({
      code: "PAYMENT_PROVIDER_FAILED",
      message: "The payment provider cannot be reached",
    });
  });

  it("keeps a key that the provider quotes back out of everything that is thrown", async () => {
    const badKey = "sk_live_verysecret12345";
    const bad = new StripePaymentProvider({ secretKey: badKey, apiBase: server.url });
    const error = await bad.listPaymentMethods("cus_A").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "PAYMENT_PROVIDER_FAILED" });
    expect(everythingIn(error)).not.toContain("verysecret");
    expect(JSON.stringify(bad)).not.toContain("verysecret");
  });
}

describe("a payment provider's settings", () => {
  it.each([
    "not a url",
    "ftp://payments.example.com",
    "http://payments.example.com",
    "https://payments.example.com/v2",
    "https://user@payments.example.com",
  ])("refuse the base URL %s", (apiBase) => {
    expect(() => new StripePaymentProvider({ secretKey: GOOD_KEY, apiBase })).toThrow(
      /PAYMENT_API_BASE must/,
    );
  });

  it.each(["https://payments.example.com", "http://localhost:12111", "http://[::1]:12111/"])(
    "take the base URL %s",
    (apiBase) => {
      expect(() => new StripePaymentProvider({ secretKey: GOOD_KEY, apiBase })).not.toThrow();
    },
  );

  it("do not need a key that works before the first request", async () => {
    const provider = new StripePaymentProvider({ secretKey: "" });
    await expect(provider.listPaymentMethods("cus_A")).rejects.toBeInstanceOf(AppError);
  });
});

function connect(apiBase: string, timeoutMs = 10_000): StripePaymentProvider {
  return new StripePaymentProvider({ secretKey: GOOD_KEY, apiBase, timeoutMs });
}

function missing(param: string): Fault {
  return answer(404, { code: "resource_missing", param });
}

function answer(
  status: number,
  error: object = {},
  headers: Readonly<Record<string, string>> = {},
): Extract<Fault, { kind: "answer" }> {
  const type = "invalid_request_error";
  return {
    kind: "answer",
    status,
    error: { type, message: "Something.", ...error },
    headers: { ...ONCE, ...headers },
  };
}

/** Message, stack and every cause, as a log might print them. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  const own = JSON.stringify(error, Object.getOwnPropertyNames(error));
  return `${own} ${error.cause === undefined ? "" : everythingIn(error.cause)}`;
}
