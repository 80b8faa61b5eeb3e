import * as z from "zod";
import { operation } from "../../operation.js";

const METHOD_ID = "pm_1NVChw2eZvKYlo2CHxiM5E2E";

export const detachPaymentMethod = operation({
  name: "detachPaymentMethod",
  action: "payments:write",
  audit: { kind: "payment.detach_method", time: "around" },
  summary: "Detach a payment method",
  description:
    "The payment method can no longer be charged. One of another organization is answered with 404, as if it did not exist.",
  tag: "Billing",
  input: z
    .strictObject({ pm_id: z.string().describe("Id of the payment method, pm_…") })
    .meta({ examples: [{ pm_id: METHOD_ID }] }),
  output: z
    .object({
      id: z.string().describe("Id of the payment method"),
      detached: z.literal(true).describe("Always true"),
    })
    .meta({
      id: "DetachedPaymentMethod",
      description: "A detached payment method",
      examples: [{ id: METHOD_ID, detached: true }],
    }),
  errors: [403, 404, 409, 502, 504],
  rest: {
    method: "DELETE",
    path: "/billing/payment-methods/{pm_id}",
    answered: "It is detached",
  },
  cli: {
    command: "payments detach",
    summary: "Detaches a payment method permanently.",
    role: "admin",
    arguments: [{ member: "pm_id", name: "pm-id", description: "Id of the payment method." }],
    print: "detached",
  },
  retry: false,
});
