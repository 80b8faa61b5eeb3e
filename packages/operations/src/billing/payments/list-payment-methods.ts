import * as z from "zod";
import { operation, type Infer } from "../../operation.js";

/** A saved payment method (Decision §8). Fields that its type lacks are null. */
const paymentMethod = z
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

export type PaymentMethod = Infer<typeof paymentMethod>;

export const listPaymentMethods = operation({
  name: "listPaymentMethods",
  action: "payments:read",
  summary: "List the saved payment methods",
  description:
    "The payment methods of your organization's customer at the payment provider; empty when it has no customer.",
  tag: "Billing",
  input: z.strictObject({}),
  output: z.array(paymentMethod).readonly(),
  errors: [403, 404, 502, 504],
  rest: { method: "GET", path: "/billing/payment-methods", answered: "Newest first" },
  cli: {
    command: "payments list",
    summary: "Lists the saved payment methods, newest first.",
    role: "admin",
    columns: [
      { title: "METHOD", member: "id", whole: true },
      { title: "TYPE", member: "type" },
      { title: "BRAND", member: "brand" },
      { title: "LAST4", member: "last4" },
      { title: "EXPIRES", member: "exp_month" },
    ],
    empty: "no payment methods are saved",
  },
});
