import * as z from "zod";
import { operation, type Infer } from "../../operation.js";
import { CUSTOMER_ID } from "./payment-customer.js";

/** What a browser needs to save a payment method (Contract §4.5). */
const setupIntent = z
  .object({
    id: z.string().describe("Id of the setup intent at the payment provider"),
    client_secret: z.string().describe("Secret for the customer's browser; do not store or log it"),
    customer: z.string().describe("The customer at the payment provider"),
  })
  .meta({
    id: "SetupIntent",
    description: "What a browser needs to save a payment method",
    examples: [
      {
        id: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG",
        client_secret: "seti_1Mm8s8LkdIwHu7ix0OXBfTRG_secret_NXDICkPqPeiBTAFqWmkbff09lRmSVXe",
        customer: CUSTOMER_ID,
      },
    ],
  });

export type SetupIntent = Infer<typeof setupIntent>;

export const createSetupIntent = operation({
  name: "createSetupIntent",
  action: "payments:write",
  audit: { kind: "payment.create_setup_intent", time: "around" },
  summary: "Begin to save a payment method",
  description:
    "Stores that the customer belongs to your organization. Where callers are authenticated, the " +
    "customer must name it in its metadata steward_org_id at the payment provider, or be made by POST /billing/customers.",
  tag: "Billing",
  input: z
    .strictObject({ customer_id: z.string().describe("The customer at the payment provider") })
    .meta({
      id: "SetupIntentRequest",
      description: "The customer whose payment method is saved",
      examples: [{ customer_id: CUSTOMER_ID }],
    }),
  output: setupIntent,
  errors: [403, 404, 409, 502, 504],
  rest: {
    method: "POST",
    path: "/billing/setup-intent",
    answered: "The provider's setup intent",
    idempotencyKey: "The same key with the same customer gives the same setup intent",
  },
  retry: true,
});
