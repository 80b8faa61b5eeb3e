import * as z from "zod";
import { operation } from "../../operation.js";
import { forOrganization, organization } from "../organization.js";
import { amount, price } from "./price.js";

export const setPrice = operation({
  name: "setPrice",
  action: "prices:write",
  audit: { kind: "price.set", time: "withEffect" },
  summary: "Set a price",
  description:
    "A price without an end ends where the new one begins; any other overlap is refused. Recorded calls " +
    "keep their cost. It needs the role operator, because prices belong to the operator.",
  tag: "Billing",
  // The schema checks shapes only; the service checks the values.
  input: z
    .strictObject({
      scope: z.string().describe("aau, intent, model or tool; the most specific price wins"),
      subject: z
        .string()
        .max(255)
        .exactOptional()
        .describe("The intent, model or tool that it applies to"),
      amount_usd: amount,
      from: z.string().exactOptional().describe("Date or RFC 3339; default: now"),
      until: z.string().exactOptional().describe("Date or RFC 3339, exclusive; default: for good"),
      ...organization,
    })
    .meta({
      id: "NewPrice",
      description: "A new price",
      examples: [{ scope: "aau", amount_usd: "0.005", from: "2026-02-01" }],
    }),
  output: price,
  errors: [403],
  rest: { method: "POST", path: "/billing/prices", status: 201, answered: "The price is set" },
  grpc: { method: "UsageService/SetPrice", response: "price" },
  cli: {
    command: "price set",
    summary: "Sets a price, as operator; the one before it ends where this one begins.",
    role: "operator",
    arguments: [
      { member: "scope", description: "aau, intent, model or tool; the most specific price wins." },
      {
        member: "amount_usd",
        name: "usd",
        description: "Dollars for each AAU, or for each call.",
      },
      {
        member: "subject",
        name: "name",
        description: "The intent, model or tool that the price applies to.",
        optional: true,
      },
    ],
    options: [
      forOrganization,
      {
        member: "from",
        flags: "--from <time>",
        description: "Date or RFC 3339 from which it applies (default: now).",
      },
      {
        member: "until",
        flags: "--until <time>",
        description: "Date or RFC 3339 until which it applies (default: no end).",
      },
    ],
  },
  retry: false,
});
