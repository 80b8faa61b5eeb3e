import * as z from "zod";
import { operation } from "../../operation.js";
import { CUSTOMER_ID, ORG_ID, paymentCustomer } from "./payment-customer.js";

export const rebindPaymentCustomer = operation({
  name: "rebindPaymentCustomer",
  action: "payments:rebind",
  audit: { kind: "payment.rebind_customer", time: "around" },
  summary: "Move a customer to another organization",
  description: "Moves the customer from whichever organization has it. It needs the role operator.",
  tag: "Billing",
  input: z
    .strictObject({
      customer_id: z.string().describe("Id of the customer at the provider"),
      org_id: z.string().describe("UUID of the organization that gets the customer"),
    })
    .meta({
      description: "The organization that gets a customer",
      examples: [{ customer_id: CUSTOMER_ID, org_id: ORG_ID }],
    }),
  output: paymentCustomer,
  errors: [403, 404, 429, 502, 504],
  rest: {
    method: "PUT",
    path: "/billing/customers/{customer_id}",
    body: "RebindCustomerRequest",
    answered: "The customer",
  },
  cli: {
    command: "payments rebind",
    summary: "Moves a customer to another organization, as operator.",
    role: "operator",
    arguments: [
      {
        member: "customer_id",
        name: "customer-id",
        description: "Id of the customer at the payment provider.",
      },
      {
        member: "org_id",
        name: "org-uuid",
        description: "The organization that gets the customer.",
      },
    ],
    print: "{customer_id} belongs to {org_id}",
  },
  retry: true,
});
