import * as z from "zod";
import type { Message } from "../envelope.js";

/** The longest retention period that can be set, in days: a century. */
export const RETENTION_DAYS_MAX: number = 36_525;

const retentionClass = z.enum(["plans", "idempotency_keys", "memory", "usage_detail"]);
const dateTime = z.string().meta({ format: "date-time" });

const periodShape = {
  class: retentionClass.describe(
    "plans: with their outputs, events and tool calls; usage_detail: the row of each call, while totals stay",
  ),
  /** The days in force; null: without limit. */
  days: z.int().nullable().describe("Days for which the data is kept; null: without limit"),
  operator_days: z.int().nullable().describe("The operator's days; null: without limit"),
  own_days: z.int().nullable().describe("Your organization's own days; null: it has set none"),
};

/** The retention period of one class of data. */
export interface RetentionPeriod extends Message<typeof periodShape> {}

const periodSchema: z.ZodType<RetentionPeriod> = z.object(periodShape).meta({
  id: "RetentionPeriod",
  description: "For how long one class of data is kept",
});

const retentionShape = {
  /** Version of the organization's own periods; 0: it has set none. */
  version: z
    .int()
    .min(0)
    .describe("Version of your organization's own periods; 0: it has set none"),
  changed_by: z.string().exactOptional().describe("Who set them"),
  changed_at: dateTime.exactOptional().describe("When they were set, in UTC"),
  periods: z.array(periodSchema).readonly().describe("The period of each class"),
};

/** For how long an organization's data is kept. */
export interface Retention extends Message<typeof retentionShape> {}

export const retentionSchema: z.ZodType<Retention> = z.object(retentionShape).meta({
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

const days = z
  .int()
  .min(1)
  .max(RETENTION_DAYS_MAX)
  .nullable()
  .exactOptional()
  .describe("Days; null: the operator's; absent: as before");

const newRetentionShape = {
  plans: days,
  idempotency_keys: days,
  memory: days,
  usage_detail: days,
};

/** New retention periods by class; null: the operator's; absent: as before. */
export interface NewRetention extends Message<typeof newRetentionShape> {}

export const newRetentionSchema: z.ZodType<NewRetention> = z.strictObject(newRetentionShape).meta({
  id: "NewRetention",
  description: "New retention periods of your organization",
  examples: [{ plans: 30, memory: null }],
});

const newHoldShape = {
  /** The session that it covers; absent: the whole organization. */
  session_id: z
    .string()
    .exactOptional()
    .describe("The session that it covers; absent: the whole organization"),
  reason: z.string().describe("Why nothing may be deleted, for those who find the hold later"),
};

/** A legal hold to place. */
export interface NewLegalHold extends Message<typeof newHoldShape> {}

export const newLegalHoldSchema: z.ZodType<NewLegalHold> = z.strictObject(newHoldShape).meta({
  id: "NewLegalHold",
  description: "A legal hold to place",
  examples: [{ session_id: "session-42", reason: "Case 2026-17" }],
});

const holdShape = {
  hold_id: z.string().describe("Id of the hold"),
  ...newHoldShape,
  placed_by: z.string().describe("Who placed it; empty when unknown"),
  placed_at: dateTime.describe("When it was placed, in UTC"),
};

const liftedHoldShape = { hold_id: z.string().describe("Id of the lifted hold") };

/** A legal hold that was lifted. */
export interface LiftedHold extends Message<typeof liftedHoldShape> {}

export const liftedHoldSchema: z.ZodType<LiftedHold> = z.object(liftedHoldShape).meta({
  id: "LiftedHold",
  description: "A legal hold that was lifted",
  examples: [{ hold_id: "019a0000-0000-7000-8000-000000000001" }],
});

/** A legal hold. */
export interface LegalHold extends Message<typeof holdShape> {}

export const legalHoldSchema: z.ZodType<LegalHold> = z.object(holdShape).meta({
  id: "LegalHold",
  description: "A legal hold: while it stands, nothing that it covers is deleted",
  examples: [
    {
      hold_id: "019a0000-0000-7000-8000-000000000001",
      session_id: "session-42",
      reason: "Case 2026-17",
      placed_by: "ada",
      placed_at: "2026-03-01T09:30:00.000Z",
    },
  ],
});
