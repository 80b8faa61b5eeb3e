import * as z from "zod";
import type { Message } from "../envelope.js";

const dateTime = z.string().meta({ format: "date-time" });
const scope = z
  .enum(["organization", "session", "user"])
  .describe("Whether everything of your organization is meant, of one session, or of one user");

const newErasureShape = {
  scope,
  /** The session's or the user's id; absent for an organization. */
  subject: z
    .string()
    .exactOptional()
    .describe("The session's or the user's id; absent for an organization"),
};

/** The body of `POST /api/erasures`: the subject to erase. */
export interface NewErasure extends Message<typeof newErasureShape> {}

export const newErasureSchema: z.ZodType<NewErasure> = z.strictObject(newErasureShape).meta({
  id: "NewErasure",
  description: "What to erase",
  examples: [{ scope: "session", subject: "session-42" }],
});

const countShape = {
  plans: z.int().describe("Plans with their outputs, events, tool calls and idempotency keys"),
  entries: z.int().describe("Memory entries with their vectors"),
  usage_rows: z.int().describe("Usage rows; totals stay"),
};

const estimateShape = {
  ...countShape,
  plan_bytes: z.int().describe("Bytes of the outputs, events and tool calls of these plans"),
  entry_bytes: z.int().describe("Bytes of the contents of these entries"),
};

/** The rows that an erasure would delete now. */
export interface ErasureEstimate extends Message<typeof estimateShape> {}

export const erasureEstimateSchema: z.ZodType<ErasureEstimate> = z.object(estimateShape).meta({
  id: "ErasureEstimate",
  description: "What an erasure would delete now",
  examples: [{ plans: 12, entries: 40, usage_rows: 0, plan_bytes: 81920, entry_bytes: 20480 }],
});

const erasureShape = {
  erasure_id: z.string().describe("Id of the erasure"),
  scope,
  requested_by: z.string().describe("Who requested it; empty when unknown or erased"),
  requested_at: dateTime.describe("When it was requested, in UTC; later data is not erased"),
  /** Null while it runs. */
  finished_at: dateTime.nullable().describe("When it ended, in UTC; null while it runs"),
  ...countShape,
  subject_digest: z
    .string()
    .describe("SHA-256 in hexadecimal of the salt and the subject; the subject itself is deleted"),
  /** Present only in the response to the request that began the erasure. */
  salt: z
    .string()
    .exactOptional()
    .describe("Only in the answer to the request: with it you can prove whose erasure this was"),
};

/** An erasure, and afterwards its receipt. */
export interface Erasure extends Message<typeof erasureShape> {}

export const erasureSchema: z.ZodType<Erasure> = z.object(erasureShape).meta({
  id: "Erasure",
  description: "An erasure, and afterwards its receipt, which does not contain what was deleted",
  examples: [
    {
      erasure_id: "019a0000-0000-7000-8000-000000000001",
      scope: "session",
      requested_by: "ada",
      requested_at: "2026-03-01T09:30:00.000Z",
      finished_at: "2026-03-01T09:30:02.000Z",
      plans: 12,
      entries: 40,
      usage_rows: 0,
      subject_digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
  ],
});
