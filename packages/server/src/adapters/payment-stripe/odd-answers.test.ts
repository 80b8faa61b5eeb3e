import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { PAYMENT_ANSWER_BYTES_MAX } from "../limits.js";
import { oddHttpAnswers, OddHttpServer } from "../testing/odd-answers.js";
import { StripePaymentProvider } from "./index.js";

const METHOD = {
  id: "pm_1",
  type: "card",
  created: 1,
  customer: "cus_A",
  card: { brand: "visa", last4: "4242", exp_month: 8, exp_year: 2030 },
};
const PAGE = { object: "list", data: [METHOD], has_more: true };
const INTENT = { id: "seti_1", client_secret: "s", customer: { id: "cus_A" } };
/**
 * The possible errors of a provider (Decision §8); never `INTERNAL`, which would be a defect of
 * this program.
 */
const REFUSALS = [
  "NOT_FOUND",
  "INVALID_ARGUMENT",
  "PAYMENT_CONFLICT",
  "PAYMENT_RATE_LIMITED",
  "PAYMENT_PROVIDER_FAILED",
];

// A real HTTP server answers the real SDK. An error that the SDK throws outside its promise would
// leave this call pending, and elsewhere end the process.
describe("a payment provider that answers oddly", () => {
  let server: OddHttpServer;
  let provider: StripePaymentProvider;

  beforeAll(async () => {
    server = await OddHttpServer.start();
    provider = new StripePaymentProvider({ secretKey: "sk_test_1", apiBase: server.url });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const operations: readonly (() => Promise<unknown>)[] = [
    () => provider.createSetupIntent("cus_A", undefined),
    () => provider.listPaymentMethods("cus_A"),
    () => provider.customerOf("pm_1"),
    () => provider.detach("pm_1"),
  ];

  it("is refused or understood, each of 200 times, and never ends the process", async () => {
    const answers = oddHttpAnswers([METHOD, PAGE, INTENT], 2);
    for (const [index, answer] of answers.entries()) {
      server.answer = answer;
      const error: unknown = await operations[index % operations.length]?.().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      const code = error instanceof AppError ? error.code : String(error);
      const seen = `${String(index)}: ${JSON.stringify(answer)} ${code}`;
      expect(error === undefined || REFUSALS.includes(code), seen).toBe(true);
    }
  });

  it.each(['"text"', "7", "true", "null", "[]", "{}", '{"data":null}', '{"error":5}', "<html>"])(
    "fails with PAYMENT_PROVIDER_FAILED when it answers %s",
    async (body) => {
      server.answer = { status: 200, body };
      for (const operation of operations) {
        await expect(operation()).rejects.toMatchObject({
          code: "PAYMENT_PROVIDER_FAILED",
          message: expect.stringContaining("PAYMENT_API_BASE") as string,
        });
      }
    },
  );

  it.each([
    [{ ...INTENT, client_secret: undefined }, "without client_secret"],
    [{ ...INTENT, client_secret: "" }, "without client_secret"],
    [{ ...INTENT, customer: "cus_B" }, "of another customer"],
  ])("fails with PAYMENT_PROVIDER_FAILED when its setup intent is %j", async (intent, why) => {
    server.answer = { status: 200, body: JSON.stringify(intent) };
    await expect(provider.createSetupIntent("cus_A", undefined)).rejects.toMatchObject({
      code: "PAYMENT_PROVIDER_FAILED",
      message: expect.stringContaining(why) as string,
    });
  });

  it("fails when it lists the payment method of another customer", async () => {
    server.answer = { status: 200, body: JSON.stringify({ data: [METHOD], has_more: false }) };
    expect(await provider.listPaymentMethods("cus_A")).toHaveLength(1);
    await expect(provider.listPaymentMethods("cus_B")).rejects.toMatchObject({
      code: "PAYMENT_PROVIDER_FAILED",
    });
  });

  it("is told by its status where its body says nothing", async () => {
    server.answer = { status: 429, body: "slow down" };
    await expect(provider.customerOf("pm_1")).rejects.toMatchObject({
      code: "PAYMENT_RATE_LIMITED",
    });
  });

  it("is not read beyond the largest answer that makes sense", async () => {
    const padding = "x".repeat(PAYMENT_ANSWER_BYTES_MAX);
    server.answer = { status: 200, body: JSON.stringify({ ...METHOD, padding }) };
    await expect(provider.customerOf("pm_1")).rejects.toMatchObject({
      code: "PAYMENT_PROVIDER_FAILED",
    });
  });
});
