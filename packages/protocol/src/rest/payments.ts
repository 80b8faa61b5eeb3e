import * as z from "zod";
import type { Message } from "./envelope.js";

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
