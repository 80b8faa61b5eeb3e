import * as z from "zod";
import type { Infer } from "../operation.js";

/** The longest retention period that can be set, in days: a century. */
export const RETENTION_DAYS_MAX = 36_525;

export const time = z.string().meta({ format: "date-time" });

const period = z
  .object({
    class: z
      .enum(["plans", "idempotency_keys", "memory", "usage_detail"])
      .describe(
        "plans: with their outputs, events and tool calls; usage_detail: the row of each call, while totals stay",
      ),
    days: z.int().nullable().describe("Days for which the data is kept; null: without limit"),
    operator_days: z.int().nullable().describe("The operator's days; null: without limit"),
    own_days: z.int().nullable().describe("Your organization's own days; null: it has set none"),
  })
  .meta({
    id: "RetentionPeriod",
    description: "For how long one class of data is kept",
  });

/** The retention period of one class of data. */
export type RetentionPeriod = Infer<typeof period>;

/** For how long an organization's data is kept. */
export const retentionPeriods = z
  .object({
    version: z
      .int()
      .min(0)
      .describe("Version of your organization's own periods; 0: it has set none"),
    changed_by: z.string().exactOptional().describe("Who set them"),
    changed_at: time.exactOptional().describe("When they were set, in UTC"),
    periods: z.array(period).readonly().describe("The period of each class"),
  })
  .meta({
    id: "Retention",
    description: "For how long an organization's data is kept",
    examples: [
      {
        version: 1,
        changed_by: "ada",
        changed_at: "2026-03-01T09:30:00.000Z",
        periods: [{ class: "plans", days: 30, operator_days: 90, own_days: 30 }],
      },
    ],
  });

export type Retention = Infer<typeof retentionPeriods>;
