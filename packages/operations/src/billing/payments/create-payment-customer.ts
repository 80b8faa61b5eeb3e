import * as z from "zod";
import { operation } from "../../operation.js";
import { paymentCustomer } from "./payment-customer.js";

export const createPaymentCustomer = operation({
  name: "createPaymentCustomer",
  action: "payments:write",
  audit: { kind: "payment.create_customer", time: "around" },
  summary: "Get or create your organization's customer",
  description:
    "Returns your organization's customer at the payment provider, and creates one when it has none.",
  tag: "Billing",
  input: z.strictObject({}),
  output: paymentCustomer,
  errors: [403, 409, 429, 502, 504],
  rest: { method: "POST", path: "/billing/customers", answered: "The customer" },
  cli: {
    command: "payments customer",
    summary:
      "Shows the organization's customer at the payment provider; creates one if it has none.",
    role: "admin",
    print: "{customer_id}",
  },
  retry: true,
});
