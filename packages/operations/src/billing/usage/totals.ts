import * as z from "zod";
import type { Infer } from "../../operation.js";

export const TOTALS = { action_count: 42, total_aau: 86, total_cost_usd: 0.43 } as const;

/** Members of every row of usage. */
export const totalsShape = {
  action_count: z.int().describe("Number of tool calls"),
  total_aau: z.number().describe("Weight of the calls in Agentic Activity Units (AAU)"),
  total_cost_usd: z.number().describe("Cost of the calls in US dollars"),
};

export const usageTotals = z
  .object(totalsShape)
  .meta({ id: "UsageTotals", description: "Sums of usage", examples: [TOTALS] });

export type UsageTotals = Infer<typeof usageTotals>;
