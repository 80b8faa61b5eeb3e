import { expect, it, describe } from "vitest";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "./console-page.js";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

/** What Stripe's script does, as far as the console uses it; its form is one field in a frame's place. */
const STRIPE_STAND_IN = `window.Stripe = (key) => ({
  elements: ({ clientSecret }) => ({
    create: () => {
      const listeners = {};
      const field = document.createElement("p");
      return {
        on: (event, listener) => { listeners[event] = listener; },
        mount: (place) => {
          field.textContent = "Stripe's fields for " + key + " and " + clientSecret.split("_")[0];
          place.append(field);
          setTimeout(() => listeners.ready());
        },
        destroy: () => field.remove(),
      };
    },
  }),
  confirmSetup: async ({ redirect, confirmParams }) => {
    window.confirmed = (window.confirmed ?? 0) + 1;
    if (window.confirmed === 1) return { error: { message: "Your card was declined." } };
    window.asked = [redirect, new URL(confirmParams.return_url).pathname];
    return {};
  },
});`;

/** The page of payment methods, with a provider that stands in for Stripe. */
export function describePaymentsPage(shared: OpenConsole): void {
  const customer = async () =>
    (await shared.server.admin.billing.createPaymentCustomer()).customer_id;

  describe("on the page of payment methods", () => {
    it("leads to the provider's page and back, lists what is stored, and removes it", async () => {
      await using opened = await shared.open("/payment-methods", "admin");
      const { page, problems } = opened;
      const id = await customer();
      await shows(page, "No payment method is stored");
      await page.route(`${shared.server.stripe.url}/**`, async (route) => {
        shared.server.stripe.addCard("pm_shown", id);
        const back = new URL(route.request().url()).searchParams.get("back") ?? "";
        await route.fulfill({ status: 302, headers: { location: back } });
      });
      await page.getByRole("button", { name: "Add a payment method" }).click();
      await shows(page, "Visa •••• 4242");
      expect(new URL(page.url()).href).toBe(`${shared.server.url}/payment-methods`);
      await shows(page, "08/2030");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Remove Visa" }).click();
      await page.getByRole("button", { name: "Remove for good" }).click();
      await shows(page, "No payment method is stored");
      expect(shared.server.stripe.seen.at(-2)?.path).toBe("/v1/payment_methods/pm_shown/detach");
      const foreign = `request to another host: ${shared.server.stripe.url}/`;
      expect(problems.filter((each) => !each.startsWith(foreign))).toEqual([]);
    });

    it("says that the provider does not answer, and asks again", async () => {
      await customer();
      const down = { type: "api_error" };
      const fault = { kind: "answer", status: 503, error: down } as const;
      const headers = { "stripe-should-retry": "false" };
      shared.server.stripe.fail(...Array.from({ length: 4 }, () => ({ ...fault, headers })));
      await using opened = await shared.open("/payment-methods", "admin");
      await shows(opened.page, "The payment provider does not answer");
      expect(await accessibilityProblems(opened.page)).toEqual([]);
      shared.server.stripe.clearFaults();
      await opened.page.getByRole("button", { name: "Try again" }).click();
      await shows(opened.page, "No payment method is stored");
    });

    it("lets an auditor look only", async () => {
      await using opened = await shared.open("/payment-methods", "auditor");
      await shows(opened.page, "You may see payment methods, and not change them.");
      expect(await opened.page.getByRole("button", { name: "Add a payment" }).count()).toBe(0);
    });

    it("says that payments are not set up", async () => {
      await shared.server.restartWith(undefined);
      try {
        await using opened = await shared.open("/payment-methods", "admin");
        await shows(opened.page, "Payments are not set up");
        expect(await shared.problemsInEachLook(opened.page)).toEqual([]);
      } finally {
        await shared.server.restartWith(shared.server.payments);
      }
    });

    it("shows Stripe's form where it is chosen, whose script no other page may load", async () => {
      const { payments } = shared.server;
      await shared.server.restartWith({ ...payments, publishableKey: "pk_test_1" });
      try {
        await using opened = await shared.open("/usage", "admin");
        const { page, problems } = opened;
        await page.route("https://js.stripe.com/v3/", (route) =>
          route.fulfill({ contentType: "text/javascript", body: STRIPE_STAND_IN }),
        );
        expect(await mayLoadStripe(page)).toBe(false);
        const before = problems.length;
        await page.getByRole("link", { name: "Payment methods" }).click();
        await page
          .getByRole("button", { name: "Add a payment method" })
          .click({ timeout: WAIT_MS });
        await shows(page, "Stripe's fields for pk_test_1 and seti");
        expect(await accessibilityProblems(page)).toEqual([]);
        await page.getByRole("button", { name: "Save the payment method" }).click();
        await shows(page, "Your card was declined.");
        shared.server.stripe.addCard("pm_form", await customer());
        await page.getByRole("button", { name: "Save the payment method" }).click();
        await shows(page, "Visa •••• 4242");
        expect(await page.evaluate("window.asked")).toEqual(["if_required", "/payment-methods"]);
        const foreign = "request to another host: https://js.stripe.com/v3/";
        expect(problems.slice(before).filter((each) => each !== foreign)).toEqual([]);
        await page.getByRole("link", { name: "Usage" }).click();
        await shows(page, "Daily usage");
        await expect.poll(() => mayLoadStripe(page)).toBe(false);
      } finally {
        await shared.server.restartWith(payments);
      }
    });
  });
}

/** Whether the security policy of the open document lets Stripe's script in. */
function mayLoadStripe(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "https://js.stripe.com/v3/";
    script.onload = () => resolve(true);
    script.onerror = () => resolve(false);
    document.head.append(script);
  })`);
}
