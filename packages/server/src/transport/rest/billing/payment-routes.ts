import {
  dataOf,
  detachedPaymentMethodSchema,
  paymentCustomerSchema,
  paymentMethodSchema,
  rebindCustomerRequestSchema,
  setupIntentRequestSchema,
  setupIntentSchema,
  type PaymentMethod as PaymentMethodMessage,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { PaymentMethod, PaymentService } from "../../../payments/index.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Billing"];

/** Saved payment methods at the payment provider (Contract §4.5, Decision §8). */
export function addPaymentRoutes(app: RestApp, payments: PaymentService): void {
  addSetupIntent(app, payments);
  addCustomers(app, payments);
  addList(app, payments);
  addDetach(app, payments);
}

function addSetupIntent(app: RestApp, payments: PaymentService): void {
  const schema = {
    operationId: "createSetupIntent",
    summary: "Begin to save a payment method",
    description:
      "Stores that the customer belongs to your organization. Where callers are authenticated, the " +
      "customer must name it in its metadata steward_org_id at the payment provider, or be made by POST /billing/customers.",
    tags,
    body: setupIntentRequestSchema,
    response: {
      200: json("The provider's setup intent", dataOf(setupIntentSchema)),
      ...errors(403, 404, 409, 502, 504),
    },
  };
  const headers = z.object({
    "idempotency-key": z
      .string()
      .exactOptional()
      .describe("The same key with the same customer gives the same setup intent"),
  });
  app.post("/billing/setup-intent", { schema, config: { headers } }, async ({ body, context }) => {
    const intent = await payments.createSetupIntent(
      context,
      body.customer_id,
      context.idempotencyKey,
    );
    const { id, clientSecret, customerId } = intent;
    return { data: { id, client_secret: clientSecret, customer: customerId } };
  });
}

function addCustomers(app: RestApp, payments: PaymentService): void {
  const create = {
    operationId: "createPaymentCustomer",
    summary: "Get or create your organization's customer",
    description:
      "Returns your organization's customer at the payment provider, and creates one when it has none.",
    tags,
    response: {
      200: json("The customer", dataOf(paymentCustomerSchema)),
      ...errors(403, 409, 429, 502, 504),
    },
  };
  app.post("/billing/customers", { schema: create }, async ({ context }) => ({
    data: { customer_id: await payments.ensureCustomer(context), org_id: context.orgId },
  }));
  const rebind = {
    operationId: "rebindPaymentCustomer",
    summary: "Move a customer to another organization",
    description:
      "Moves the customer from whichever organization has it. It needs the role operator.",
    tags,
    params: z.object({ customer_id: z.string().describe("Id of the customer at the provider") }),
    body: rebindCustomerRequestSchema,
    response: {
      200: json("The customer", dataOf(paymentCustomerSchema)),
      ...errors(403, 404, 429, 502, 504),
    },
  };
  app.put("/billing/customers/:customer_id", { schema: rebind }, async ({ params, body }) => {
    await payments.rebind(params.customer_id, body.org_id);
    return { data: { customer_id: params.customer_id, org_id: body.org_id.toLowerCase() } };
  });
}

function addList(app: RestApp, payments: PaymentService): void {
  const schema = {
    operationId: "listPaymentMethods",
    summary: "List the saved payment methods",
    description:
      "The payment methods of your organization's customer at the payment provider; empty when it has no customer.",
    tags,
    response: {
      200: json("Newest first", dataOf(z.array(paymentMethodSchema).readonly())),
      ...errors(403, 404, 502, 504),
    },
  };
  app.get("/billing/payment-methods", { schema }, async ({ context }) => ({
    data: (await payments.listPaymentMethods(context)).map(paymentMethodMessage),
  }));
}

function addDetach(app: RestApp, payments: PaymentService): void {
  const schema = {
    operationId: "detachPaymentMethod",
    summary: "Detach a payment method",
    description:
      "The payment method can no longer be charged. One of another organization is answered with 404, as if it did not exist.",
    tags,
    params: z.object({ pm_id: z.string().describe("Id of the payment method, pm_…") }),
    response: {
      200: json("It is detached", dataOf(detachedPaymentMethodSchema)),
      ...errors(403, 404, 409, 502, 504),
    },
  };
  app.delete("/billing/payment-methods/:pm_id", { schema }, async ({ params, context }) => {
    await payments.detach(context, params.pm_id);
    return { data: { id: params.pm_id, detached: true as const } };
  });
}

function paymentMethodMessage(method: PaymentMethod): PaymentMethodMessage {
  return {
    id: method.id,
    type: method.type,
    brand: method.brand ?? null,
    last4: method.last4 ?? null,
    exp_month: method.expMonth ?? null,
    exp_year: method.expYear ?? null,
    created: method.created,
  };
}
