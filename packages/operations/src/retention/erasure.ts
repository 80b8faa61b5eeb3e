import * as z from "zod";
import type { Infer } from "../operation.js";
import { time } from "./retention-periods.js";

export const ERASURE_ID = "019a0000-0000-7000-8000-000000000001";

const scope = z
  .enum(["organization", "session", "user"])
  .describe("Whether everything of your organization is meant, of one session, or of one user");

/** What to erase, in a request. */
export const newErasure = z
  .strictObject({
    scope,
    subject: z
      .string()
      .exactOptional()
      .describe("The session's or the user's id; absent for an organization"),
  })
  .meta({
    id: "NewErasure",
    description: "What to erase",
    examples: [{ scope: "session", subject: "session-42" }],
  });

/** How much an erasure deletes. */
export const countShape = {
  plans: z.int().describe("Plans with their outputs, events, tool calls and idempotency keys"),
  entries: z.int().describe("Memory entries with their vectors"),
  usage_rows: z.int().describe("Usage rows; totals stay"),
};

/** An erasure, and afterwards its receipt. */
export const erasure = z
  .object({
    erasure_id: z.string().describe("Id of the erasure"),
    scope,
    requested_by: z.string().describe("Who requested it; empty when unknown or erased"),
    requested_at: time.describe("When it was requested, in UTC; later data is not erased"),
    finished_at: time.nullable().describe("When it ended, in UTC; null while it runs"),
    ...countShape,
    subject_digest: z
      .string()
      .describe(
        "SHA-256 in hexadecimal of the salt and the subject; the subject itself is deleted",
      ),
    salt: z
      .string()
      .exactOptional()
      .describe("Only in the answer to the request: with it you can prove whose erasure this was"),
  })
  .meta({
    id: "Erasure",
    description: "An erasure, and afterwards its receipt, which does not contain what was deleted",
    examples: [
      {
        erasure_id: ERASURE_ID,
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

export type Erasure = Infer<typeof erasure>;
