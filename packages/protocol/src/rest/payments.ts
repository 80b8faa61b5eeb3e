import * as z from "zod";

/** The body of `POST /billing/setup-intent` (Contract §4.5). */
export interface SetupIntentRequest {
  /** The customer at the payment provider. */
  readonly customer_id: string;
}

/** An organization's customer at the payment provider. */
export interface PaymentCustomer {
  readonly customer_id: string;
  readonly org_id: string;
}

/** The body of `PUT /billing/customers/:customer_id`. */
export interface RebindCustomerRequest {
  /** Whose customer it is from now on. */
  readonly org_id: string;
}

/** What a browser needs to save a payment method (Contract §4.5). */
export interface SetupIntent {
  readonly id: string;
  /** For the customer's browser only. */
  readonly client_secret: string;
  readonly customer: string;
}

/** A saved payment method (Decision §8). What its type does not have is null. */
export interface PaymentMethod {
  readonly id: string;
  readonly type: string;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  /** Seconds since the Unix epoch. */
  readonly created: number;
}

/** The answer to detaching a payment method (Decision §8). */
export interface DetachedPaymentMethod {
  readonly id: string;
  readonly detached: true;
}

export const setupIntentRequestSchema: z.ZodType<SetupIntentRequest> = z
  .strictObject({ customer_id: z.string().describe("The customer at the payment provider") })
  .meta({
    id: "SetupIntentRequest",
    description: "The customer whose payment method is saved",
    examples: [{ customer_id: "cus_QXg1o8vcGmoR32" }],
  });

export const paymentCustomerSchema: z.ZodType<PaymentCustomer> = z
  .object({
    customer_id: z.string().describe("Id of the customer at the payment provider"),
    org_id: z.string().describe("The organization that it belongs to"),
  })
  .meta({
    id: "PaymentCustomer",
    description: "An organization's customer at the payment provider",
    examples: [
      { customer_id: "cus_QXg1o8vcGmoR32", org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11" },
    ],
  });

export const rebindCustomerRequestSchema: z.ZodType<RebindCustomerRequest> = z
  .strictObject({ org_id: z.string().describe("UUID of the organization that it is to belong to") })
  .meta({
    id: "RebindCustomerRequest",
    description: "The organization that a customer is to belong to",
    examples: [{ org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11" }],
  });

export const setupIntentSchema: z.ZodType<SetupIntent> = z
  .object({
    id: z.string().describe("Id of the setup intent at the payment provider"),
    client_secret: z
      .string()
      .describe("Secret for the customer's browser; it belongs nowhere else"),
    customer: z.string().describe("The customer at the payment provider"),
  })
  .meta({
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

export const paymentMethodSchema: z.ZodType<PaymentMethod> = z
  .object({
    id: z.string().describe("Id of the payment method, pm_…"),
    type: z.string().describe("Such as card or sepa_debit"),
    brand: z.string().nullable().describe("Brand of a card; null for other types"),
    last4: z.string().nullable().describe("Last four digits; null where it has none"),
    exp_month: z.int().nullable().describe("Month in which a card expires; null for other types"),
    exp_year: z.int().nullable().describe("Year in which a card expires; null for other types"),
    created: z.int().describe("Seconds since the Unix epoch"),
  })
  .meta({
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

export const detachedPaymentMethodSchema: z.ZodType<DetachedPaymentMethod> = z
  .object({
    id: z.string().describe("Id of the payment method"),
    detached: z.literal(true).describe("Always true"),
  })
  .meta({
    id: "DetachedPaymentMethod",
    description: "A detached payment method",
    examples: [{ id: "pm_1NVChw2eZvKYlo2CHxiM5E2E", detached: true }],
  });
