import * as z from "zod";
import type { Infer } from "../operation.js";
import { time } from "./retention-periods.js";

export const HOLD_ID = "019a0000-0000-7000-8000-000000000001";

/** The members of a legal hold that whoever places it chooses. */
export const newHoldShape = {
  session_id: z
    .string()
    .exactOptional()
    .describe("The session that it covers; absent: the whole organization"),
  reason: z.string().describe("Why nothing may be deleted, for those who find the hold later"),
};

/** A legal hold. */
export const legalHold = z
  .object({
    hold_id: z.string().describe("Id of the hold"),
    ...newHoldShape,
    placed_by: z.string().describe("Who placed it; empty when unknown"),
    placed_at: time.describe("When it was placed, in UTC"),
  })
  .meta({
    id: "LegalHold",
    description: "A legal hold: while it stands, nothing that it covers is deleted",
    examples: [
      {
        hold_id: HOLD_ID,
        session_id: "session-42",
        reason: "Case 2026-17",
        placed_by: "ada",
        placed_at: "2026-03-01T09:30:00.000Z",
      },
    ],
  });

export type LegalHold = Infer<typeof legalHold>;
