import * as z from "zod";
import type { Infer } from "../../operation.js";

/** Text, because a double cannot hold decimal dollars exactly. */
export const amount = z.string().describe("Decimal dollars, up to nine places");

/** A price and the period it applies to. */
export const price = z
  .object({
    price_id: z.string().describe("Id of the price"),
    scope: z.string().describe("aau, intent, model or tool; the most specific price wins"),
    subject: z.string().describe("The intent, model or tool that it applies to; empty for aau"),
    amount_usd: amount,
    from: z.string().meta({ format: "date-time" }).describe("From when it applies, in UTC"),
    until: z
      .string()
      .meta({ format: "date-time" })
      .exactOptional()
      .describe("Until when it applies, exclusive; absent: for good"),
  })
  .meta({
    id: "Price",
    description: "A price and the period it applies to",
    examples: [
      {
        price_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
        scope: "aau",
        subject: "",
        amount_usd: "0.005",
        from: "2026-02-01T00:00:00.000Z",
      },
    ],
  });

export type Price = Infer<typeof price>;
