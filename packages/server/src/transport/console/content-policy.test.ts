import { describe, expect, it } from "vitest";
import { contentPolicy, PAYMENTS_PATH } from "./content-policy.js";

const HOSTS = /https?:\/\/[^\s;]+/g;

describe("the content security policy of the console", () => {
  it("names no other host, unless payment methods are saved in Stripe's form, and then on that page only", () => {
    for (const [path, hasStripeForm] of [
      ["/", false],
      [PAYMENTS_PATH, false],
      ["/plans", true],
      [`${PAYMENTS_PATH}/x`, true],
      [`/x${PAYMENTS_PATH}`, true],
    ] as const) {
      expect(contentPolicy("n", path, hasStripeForm).match(HOSTS)).toBeNull();
    }
    const hosts = contentPolicy("n", PAYMENTS_PATH, true).match(HOSTS) ?? [];
    expect([...new Set(hosts)].toSorted()).toEqual([
      "https://*.js.stripe.com",
      "https://api.stripe.com",
      "https://hooks.stripe.com",
      "https://js.stripe.com",
    ]);
  });
});
