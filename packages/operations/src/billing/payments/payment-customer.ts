import * as z from "zod";

export const CUSTOMER_ID = "cus_QXg1o8vcGmoR32";
export const ORG_ID = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";

/** An organization's customer at the payment provider. */
export const paymentCustomer = z
  .object({
    customer_id: z.string().describe("Id of the customer at the payment provider"),
    org_id: z.string().describe("The organization that it belongs to"),
  })
  .meta({
    id: "PaymentCustomer",
    description: "An organization's customer at the payment provider",
    examples: [{ customer_id: CUSTOMER_ID, org_id: ORG_ID }],
  });
