import * as z from "zod";
import { operation } from "../../operation.js";
import { forOrganization, organization } from "../organization.js";
import { price } from "./price.js";

export const listPrices = operation({
  name: "listPrices",
  action: "prices:read",
  summary: "List the prices, past and future ones too",
  description: "All prices, each with the period it applies to.",
  tag: "Billing",
  input: z.strictObject(organization),
  output: z.array(price).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/billing/prices", answered: "The prices" },
  grpc: { method: "UsageService/ListPrices", response: "prices" },
  cli: {
    command: "price list",
    summary: "Lists the prices, past and future ones too.",
    role: "admin",
    options: [forOrganization],
    columns: [
      { title: "PER", member: "scope" },
      { title: "NAME", member: "subject" },
      { title: "USD", member: "amount_usd", align: "right" },
      { title: "FROM", member: "from" },
      { title: "UNTIL", member: "until" },
    ],
    empty: "no prices: usage costs nothing",
  },
});
