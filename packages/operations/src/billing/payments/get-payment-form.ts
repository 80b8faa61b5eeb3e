import * as z from "zod";
import { operation, type Infer } from "../../operation.js";

const paymentForm = z
  .object({
    form: z
      .enum(["redirect", "elements"])
      .describe("redirect: on the provider's page; elements: in the provider's own form"),
    publishable_key: z
      .string()
      .exactOptional()
      .describe("The provider's publishable key, for its form; absent with redirect"),
  })
  .meta({
    id: "PaymentForm",
    description: "How people save a payment method",
    examples: [{ form: "redirect" }],
  });

export type PaymentForm = Infer<typeof paymentForm>;

export const getPaymentForm = operation({
  name: "getPaymentForm",
  action: "payments:read",
  summary: "Tell how people save a payment method",
  description:
    "On the payment provider's page, which is the default, or in the provider's own form, if PAYMENT_PUBLISHABLE_KEY is set.",
  tag: "Billing",
  input: z.strictObject({}),
  output: paymentForm,
  errors: [403],
  rest: { method: "GET", path: "/billing/payment-form", answered: "The form" },
});
