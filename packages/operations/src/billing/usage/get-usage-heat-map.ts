import * as z from "zod";
import { operation, type Infer } from "../../operation.js";

/** One cell of the matrix of models and intents (Contract §2.11). */
const heatMapRow = z
  .object({
    orm_model: z.string().describe("ORM model of the calls; unknown when a call named none"),
    intent: z.string().describe("Intent of the calls"),
    aau_weight: z.number().describe("Weight of one call in AAU"),
    total_aau: z.number().describe("Weight of all these calls in AAU"),
    action_count: z.int().describe("Number of tool calls"),
  })
  .meta({
    id: "HeatMapRow",
    description: "Usage of one ORM model with one intent",
    examples: [
      {
        orm_model: "Invoice",
        intent: "write_insert",
        aau_weight: 3,
        total_aau: 126,
        action_count: 42,
      },
    ],
  });

export type HeatMapRow = Infer<typeof heatMapRow>;

export const getUsageHeatMap = operation({
  name: "getUsageHeatMap",
  action: "usage:read",
  summary: "Usage by model and intent",
  description: "All recorded usage, added up for each ORM model and intent, as JSON or CSV.",
  tag: "Billing",
  input: z.strictObject({}),
  output: z.array(heatMapRow).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/billing/usage/heatmap", answered: "The cells" },
  grpc: { method: "UsageService/GetUsageHeatMap", response: "rows" },
});
