import * as z from "zod";

/** The body of `POST /billing/setup-intent` (Contract §4.5). */
export interface SetupIntentRequest {
  /** The customer at the payment provider. */
  readonly customer_id: string;
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

/** Schema of {@link SetupIntentRequest}. */
export const setupIntentRequestSchema: z.ZodType<SetupIntentRequest> = z
  .object({ customer_id: z.string().describe("The customer at the payment provider") })
  .meta({ id: "SetupIntentRequest", examples: [{ customer_id: "cus_QXg1o8vcGmoR32" }] });

/** Schema of {@link SetupIntent}. */
export const setupIntentSchema: z.ZodType<SetupIntent> = z
  .object({
    id: z.string(),
    client_secret: z.string().describe("For the customer's browser only"),
    customer: z.string(),
  })
  .meta({ id: "SetupIntent" });

/** Schema of {@link PaymentMethod}. */
export const paymentMethodSchema: z.ZodType<PaymentMethod> = z
  .object({
    id: z.string(),
    type: z.string().describe("Such as card or sepa_debit"),
    brand: z.string().nullable(),
    last4: z.string().nullable(),
    exp_month: z.int().nullable(),
    exp_year: z.int().nullable(),
    created: z.int().describe("Seconds since the Unix epoch"),
  })
  .meta({ id: "PaymentMethod" });

/** Schema of {@link DetachedPaymentMethod}. */
export const detachedPaymentMethodSchema: z.ZodType<DetachedPaymentMethod> = z
  .object({ id: z.string(), detached: z.literal(true) })
  .meta({ id: "DetachedPaymentMethod" });
