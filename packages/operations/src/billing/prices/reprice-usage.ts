import * as z from "zod";
import { operation } from "../../operation.js";
import { organization } from "../organization.js";

export const repriceUsage = operation({
  name: "repriceUsage",
  action: "prices:write",
  audit: { kind: "usage.reprice", time: "around" },
  summary: "Price recorded calls again",
  description:
    "Applies the present price list. Differences are added as corrections; no row is edited. It needs the role operator.",
  tag: "Billing",
  input: z
    .strictObject({
      from: z.string().describe("Date or RFC 3339"),
      until: z.string().describe("Date or RFC 3339, exclusive"),
      ...organization,
    })
    .meta({
      id: "RepriceRequest",
      description: "The recorded calls to price anew",
      examples: [{ from: "2026-02-01", until: "2026-03-01" }],
    }),
  output: z
    .object({
      corrections: z.int().describe("Number of corrections added; no recorded row is edited"),
      difference_usd: z.string().describe("Sum of the corrections in decimal dollars"),
    })
    .meta({
      id: "Repricing",
      description: "Result of pricing recorded calls anew",
      examples: [{ corrections: 12, difference_usd: "0.06" }],
    }),
  errors: [403],
  rest: { method: "POST", path: "/billing/reprice", answered: "The result" },
  grpc: { method: "UsageService/RepriceUsage" },
  // Repeating it has no further effect.
  retry: true,
});
