import * as z from "zod";
import type { Infer } from "../../operation.js";

/** The members of a budget that its setter chooses. */
export const limitShape = {
  scope: z.string().describe("organization, or session for each session on its own"),
  unit: z.string().describe("aau or usd"),
  period: z.string().describe("day or month in UTC, or total"),
  limit: z.string().describe("Whole AAUs, or decimal dollars"),
  action: z.string().describe("warn or block"),
};

/** A limit of usage. */
export const budget = z
  .object({
    budget_id: z.string().describe("Id of the budget"),
    ...limitShape,
    set_by: z.string().describe("operator, or organization for its own billing admins"),
    used: z
      .string()
      .exactOptional()
      .describe("Recorded in the present period, in the unit of the limit; only in the list"),
    remaining: z.string().exactOptional().describe("What is left of the limit; only in the list"),
    resets_at: z
      .string()
      .meta({ format: "date-time" })
      .exactOptional()
      .describe("When the period ends, in UTC; absent for a total"),
  })
  .meta({
    id: "Budget",
    description: "A cap on usage",
    examples: [
      {
        budget_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
        scope: "organization",
        unit: "usd",
        period: "month",
        limit: "100",
        action: "block",
        set_by: "organization",
        used: "12.5",
        remaining: "87.5",
        resets_at: "2026-04-01T00:00:00.000Z",
      },
    ],
  });

export type Budget = Infer<typeof budget>;
