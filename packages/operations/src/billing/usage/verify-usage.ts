import * as z from "zod";
import { operation, type Infer } from "../../operation.js";
import { TOTALS, usageTotals } from "./totals.js";

/** A stored total that is not the sum of its rows. */
const usageDifference = z
  .object({
    total: z.string().describe("Name of the total, for people"),
    stored: usageTotals.describe("The stored total"),
    recomputed: usageTotals.describe("The sum of the rows"),
  })
  .meta({
    id: "UsageDifference",
    description: "A stored total that differs from the sum of its rows",
    examples: [
      {
        total: "2026-01-05 read_select",
        stored: { action_count: 41, total_aau: 85, total_cost_usd: 0.42 },
        recomputed: TOTALS,
      },
    ],
  });

export type UsageDifference = Infer<typeof usageDifference>;

export const verifyUsage = operation({
  name: "verifyUsage",
  action: "usage:repair",
  audit: { kind: "usage.verify", time: "around" },
  summary: "Compare the totals with the rows they are made of",
  description:
    "Adds up the recorded rows and lists the totals that differ; repairs them when asked to.",
  tag: "Billing",
  input: z
    .strictObject({
      repair: z.boolean().exactOptional().describe("Whether to correct the totals that differ"),
    })
    .meta({
      id: "VerifyUsageRequest",
      description: "A comparison of the stored totals with their rows",
      examples: [{ repair: false }],
    }),
  output: z.array(usageDifference).readonly(),
  errors: [403],
  rest: { method: "POST", path: "/billing/usage/verify", answered: "What differed" },
  grpc: { method: "UsageService/VerifyUsage", response: "differences" },
  retry: true,
});
