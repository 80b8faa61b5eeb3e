import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StripePaymentProvider } from "../adapters/payment-stripe/index.js";
import { GOOD_KEY, StripeServer } from "../adapters/payment-stripe/testing/stripe-server.js";
import { admin, ORG, UsageRoom } from "../usage/testing/usage-room.js";
import { noCustomerBindings } from "./no-customer-bindings.js";
import { PaymentService } from "./payment-service.js";

const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

describe("the payment service", () => {
  let server: StripeServer;
  let room: UsageRoom;
  let payments: PaymentService;
  let unconfigured: PaymentService;

  beforeEach(async () => {
    server = await StripeServer.start();
    for (const customer of ["cus_A", "cus_B", "cus_C"]) server.addCustomer(customer);
    server.addCard("pm_A", "cus_A");
    server.addCard("pm_B", "cus_B");
    room = await UsageRoom.open();
    const provider = new StripePaymentProvider({ secretKey: GOOD_KEY, apiBase: server.url });
    payments = new PaymentService(provider, room.store.customers);
    unconfigured = new PaymentService(undefined, room.store.customers);
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const detachesSeen = () => server.seen.filter(({ path }) => path.endsWith("/detach"));

  it("remembers whose customer it was that a setup intent was made for", async () => {
    expect(await payments.listPaymentMethods(admin())).toEqual([]);
    await payments.createSetupIntent(admin(), "cus_A");
    expect(await payments.listPaymentMethods(admin())).toMatchObject([{ id: "pm_A" }]);
    await payments.createSetupIntent(admin(), "cus_C");
    expect(await payments.listPaymentMethods(admin())).toEqual([]);
  });

  it("does not bind a customer that the provider does not know", async () => {
    await expect(payments.createSetupIntent(admin(), "cus_X")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await room.store.customers.organizationOf("cus_X")).toBeUndefined();
  });

  it("makes no setup intent for another organization's customer, also after it took another", async () => {
    await payments.createSetupIntent(admin(), "cus_A");
    await payments.createSetupIntent(admin(), "cus_C");
    const asked = server.seen.length;
    await expect(payments.createSetupIntent(admin(OTHER_ORG), "cus_A")).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    expect(server.seen).toHaveLength(asked);
  });

  it("gives a customer to one of two organizations that ask at the same time", async () => {
    const results = await Promise.allSettled(
      [ORG, OTHER_ORG].map((org) => payments.createSetupIntent(admin(org), "cus_A")),
    );
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("binds a customer to an organization that is vouched for only if it names that organization", async () => {
    const vouched = { ...admin(), authenticatedBy: "apikey" } as const;
    await expect(payments.createSetupIntent(vouched, "cus_A")).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining(`metadata steward_org_id to ${ORG}`) as unknown,
    });
    expect(server.seen.some(({ path }) => path === "/v1/setup_intents")).toBe(false);
    server.addCustomer("cus_B", { steward_org_id: OTHER_ORG });
    await expect(payments.createSetupIntent(vouched, "cus_B")).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
    await expect(payments.createSetupIntent(vouched, "cus_X")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    server.addCustomer("cus_A", { steward_org_id: ORG.toUpperCase() });
    await payments.createSetupIntent(vouched, "cus_A");
    expect(await room.store.customers.organizationOf("cus_A")).toBe(ORG);
  });

  it("makes a customer that needs no proof, once", async () => {
    const vouched = { ...admin(), authenticatedBy: "jwt" } as const;
    const made = await Promise.all([1, 2].map(() => payments.ensureCustomer(vouched)));
    expect(new Set(made).size).toBe(1);
    expect(await payments.ensureCustomer(vouched)).toBe(made[0]);
    expect(await payments.createSetupIntent(vouched, made[0])).toMatchObject({
      customerId: made[0],
    });
    expect(await payments.ensureCustomer(admin(OTHER_ORG))).not.toBe(made[0]);
  });

  it("lets an operator make a customer another organization's", async () => {
    await payments.createSetupIntent(admin(), "cus_A");
    await payments.rebind("cus_A", OTHER_ORG.toUpperCase());
    expect(await payments.listPaymentMethods(admin())).toEqual([]);
    expect(await payments.listPaymentMethods(admin(OTHER_ORG))).toMatchObject([{ id: "pm_A" }]);
    await expect(payments.rebind("cus_X", ORG)).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (const [field, attempt] of [
      ["customer_id", payments.rebind("cus A", ORG)],
      ["org_id", payments.rebind("cus_A", "acme")],
    ] as const) {
      await expect(attempt).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field }],
      });
    }
  });

  it("passes an idempotency key on, and keeps those of organizations apart", async () => {
    const first = await payments.createSetupIntent(admin(), "cus_A", "key");
    expect(await payments.createSetupIntent(admin(), "cus_A", "key")).toEqual(first);
    expect((await payments.createSetupIntent(admin(OTHER_ORG), "cus_B", "key")).id).not.toBe(
      first.id,
    );
    await expect(payments.createSetupIntent(admin(), "cus_C", "key")).rejects.toMatchObject({
      code: "PAYMENT_CONFLICT",
    });
  });

  it("detaches a payment method of the organization's own customer", async () => {
    await payments.createSetupIntent(admin(), "cus_A");
    await payments.detach(admin(), "pm_A");
    expect(await payments.listPaymentMethods(admin())).toEqual([]);
    expect(detachesSeen()).toHaveLength(1);
  });

  it.each(["pm_B", "pm_unknown"])(
    "knows nothing of %s, and does not ask to detach it",
    async (id) => {
      await payments.createSetupIntent(admin(), "cus_A");
      await expect(payments.detach(admin(), id)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: "The organization has no payment method with this id",
      });
      expect(detachesSeen()).toEqual([]);
    },
  );

  it("detaches nothing for an organization without a customer", async () => {
    await expect(payments.detach(admin(), "pm_A")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(server.seen).toEqual([]);
  });

  it.each([undefined, "", "cus A", "cus/../A", "cus_A?x=1"])(
    "refuses the customer id %j",
    async (customer) => {
      await expect(unconfigured.createSetupIntent(admin(), customer)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field: "customer_id" }],
      });
    },
  );

  it.each(["", "pm_", "pi_123", "PM_1", "pm_1/detach", "pm_é", " pm_1"])(
    "refuses the payment method id %j",
    async (id) => {
      await expect(unconfigured.detach(admin(), id)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        details: [{ field: "pm_id" }],
      });
    },
  );

  it("asks first whether the request makes sense, then for a key", async () => {
    const missing = {
      code: "PAYMENT_NOT_CONFIGURED",
      message: "Payment provider is not configured: set PAYMENT_SECRET_KEY",
    };
    await expect(unconfigured.createSetupIntent(admin(), "cus_A")).rejects.toMatchObject(missing);
    await expect(unconfigured.listPaymentMethods(admin())).rejects.toMatchObject(missing);
    await expect(unconfigured.detach(admin(), "pm_A")).rejects.toMatchObject(missing);
    const bare = new PaymentService(undefined, noCustomerBindings);
    await expect(bare.createSetupIntent(admin(), "cus_A")).rejects.toMatchObject(missing);
  });
});
