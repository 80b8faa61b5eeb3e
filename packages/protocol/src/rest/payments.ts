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
