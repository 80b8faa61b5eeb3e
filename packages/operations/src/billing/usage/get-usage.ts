import * as z from "zod";
import { operation, type Infer } from "../../operation.js";
import { TOTALS, totalsShape } from "./totals.js";

/** Usage of one day (Contract §2.11); in a grouped report, of one group on one day. */
export const dailyUsage = z
  .object({
    date: z.string().describe("Day, YYYY-MM-DD"),
    tool_name: z.string().exactOptional().describe("Name of the tool; only when grouped by tool"),
    session_id: z
      .string()
      .exactOptional()
      .describe("Id of the session; only when grouped by session"),
    intent: z.string().exactOptional().describe("Intent of the calls; only when grouped by intent"),
    orm_model: z
      .string()
      .exactOptional()
      .describe("ORM model of the calls; only when grouped by model"),
    ...totalsShape,
  })
  .meta({
    id: "DailyUsage",
    description: "Usage of one day, or of one group on one day when a grouping was asked for",
    examples: [{ date: "2026-01-05", ...TOTALS }],
  });

export type DailyUsage = Infer<typeof dailyUsage>;

export const getUsage = operation({
  name: "getUsage",
  action: "usage:read",
  summary: "Usage by day",
  description: "Days that have usage, ascending; grouped, one row for each group and day.",
  tag: "Billing",
  // The schema checks shapes only; the service checks the values.
  input: z.strictObject({
    from: z.string().exactOptional().describe("First day, YYYY-MM-DD; default 1970-01-01"),
    to: z.string().exactOptional().describe("Last day, YYYY-MM-DD, inclusive; default 9999-12-31"),
    tz: z.string().exactOptional().describe("Time zone whose days are meant; default UTC"),
    group_by: z.string().exactOptional().describe("tool, session, intent or model"),
  }),
  output: z.array(dailyUsage).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/billing/usage", answered: "The rows" },
  grpc: { method: "UsageService/GetUsage", response: "rows" },
});
