import * as z from "zod";
import type { Message } from "./envelope.js";

const setupIntentRequestShape = {
  /** The customer at the payment provider. */
  customer_id: z.string().describe("The customer at the payment provider"),
};

/** The body of `POST /billing/setup-intent` (Contract §4.5). */
export interface SetupIntentRequest extends Message<typeof setupIntentRequestShape> {}

export const setupIntentRequestSchema: z.ZodType<SetupIntentRequest> = z
  .strictObject(setupIntentRequestShape)
  .meta({
    id: "SetupIntentRequest",
    description: "The customer whose payment method is saved",
    examples: [{ customer_id: "cus_QXg1o8vcGmoR32" }],
  });

const paymentCustomerShape = {
  customer_id: z.string().describe("Id of the customer at the payment provider"),
  org_id: z.string().describe("The organization that it belongs to"),
};

/** An organization's customer at the payment provider. */
export interface PaymentCustomer extends Message<typeof paymentCustomerShape> {}

export const paymentCustomerSchema: z.ZodType<PaymentCustomer> = z
  .object(paymentCustomerShape)
  .meta({
    id: "PaymentCustomer",
    description: "An organization's customer at the payment provider",
    examples: [
      { customer_id: "cus_QXg1o8vcGmoR32", org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11" },
    ],
  });

const rebindCustomerRequestShape = {
  /** The organization that gets the customer. */
  org_id: z.string().describe("UUID of the organization that gets the customer"),
};

/** The body of `PUT /billing/customers/:customer_id`. */
export interface RebindCustomerRequest extends Message<typeof rebindCustomerRequestShape> {}

export const rebindCustomerRequestSchema: z.ZodType<RebindCustomerRequest> = z
  .strictObject(rebindCustomerRequestShape)
  .meta({
    id: "RebindCustomerRequest",
    description: "The organization that gets a customer",
    examples: [{ org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11" }],
  });

const setupIntentShape = {
  id: z.string().describe("Id of the setup intent at the payment provider"),
  /** For the customer's browser only. */
  client_secret: z.string().describe("Secret for the customer's browser; do not store or log it"),
  customer: z.string().describe("The customer at the payment provider"),
};

/** What a browser needs to save a payment method (Contract §4.5). */
export interface SetupIntent extends Message<typeof setupIntentShape> {}

export const setupIntentSchema: z.ZodType<SetupIntent> = z.object(setupIntentShape).meta({
  id: "SetupIntent",
  description: "What a browser needs to save a payment method",
  examples: [
    {
      id: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG",
      client_secret: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG_secret_NXDICkPqPeiBTAFqWmkbff09lRmSVXe",
      customer: "cus_QXg1o8vcGmoR32",
    },
  ],
});

const paymentMethodShape = {
  id: z.string().describe("Id of the payment method, pm_…"),
  type: z.string().describe("Such as card or sepa_debit"),
  brand: z.string().nullable().describe("Brand of a card; null for other types"),
  last4: z.string().nullable().describe("Last four digits; null where it has none"),
  exp_month: z.int().nullable().describe("Month in which a card expires; null for other types"),
  exp_year: z.int().nullable().describe("Year in which a card expires; null for other types"),
  /** Seconds since the Unix epoch. */
  created: z.int().describe("Seconds since the Unix epoch"),
};

/** A saved payment method (Decision §8). Fields that its type lacks are null. */
export interface PaymentMethod extends Message<typeof paymentMethodShape> {}

export const paymentMethodSchema: z.ZodType<PaymentMethod> = z.object(paymentMethodShape).meta({
  id: "PaymentMethod",
  description: "A saved payment method",
  examples: [
    {
      id: "pm_1NVChw2eZvKYlo2CHxiM5E2E",
      type: "card",
      brand: "visa",
      last4: "4242",
      exp_month: 12,
      exp_year: 2034,
      created: 1767225600,
    },
  ],
});

const detachedPaymentMethodShape = {
  id: z.string().describe("Id of the payment method"),
  detached: z.literal(true).describe("Always true"),
};

/** The answer to detaching a payment method (Decision §8). */
export interface DetachedPaymentMethod extends Message<typeof detachedPaymentMethodShape> {}

export const detachedPaymentMethodSchema: z.ZodType<DetachedPaymentMethod> = z
  .object(detachedPaymentMethodShape)
  .meta({
    id: "DetachedPaymentMethod",
    description: "A detached payment method",
    examples: [{ id: "pm_1NVChw2eZvKYlo2CHxiM5E2E", detached: true }],
  });

/** How people save a payment method in the console. */
export const PAYMENT_FORMS = ["redirect", "elements"] as const;

const paymentFormShape = {
  form: z
    .enum(PAYMENT_FORMS)
    .describe("redirect: on the provider's page; elements: in the provider's own form"),
  publishable_key: z
    .string()
    .exactOptional()
    .describe("The provider's publishable key, for its form; absent with redirect"),
};

/** How people save a payment method. */
export interface PaymentForm extends Message<typeof paymentFormShape> {}

export const paymentFormSchema: z.ZodType<PaymentForm> = z.object(paymentFormShape).meta({
  id: "PaymentForm",
  description: "How people save a payment method",
  examples: [{ form: "redirect" }],
});

const setupPageShape = {
  id: z.string().describe("Id of the page at the payment provider"),
  url: z.string().describe("Address of the page, for the person's browser"),
};

/** A page of the payment provider on which a person saves a payment method. */
export interface SetupPage extends Message<typeof setupPageShape> {}

export const setupPageSchema: z.ZodType<SetupPage> = z.object(setupPageShape).meta({
  id: "SetupPage",
  description: "A page of the payment provider on which a person saves a payment method",
  examples: [{ id: "cs_1QXg1o8vcGmoR32", url: "https://checkout.stripe.com/c/pay/cs_1QXg1o8vcG" }],
});
