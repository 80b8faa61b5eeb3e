import * as z from "zod";
import { APPROVAL_EXAMPLE, approvalId } from "./approval.js";

/** The body of a decision about an approval. */
export const approvalChoice = z
  .strictObject({
    digest: z.string().describe("The digest of the approval that you have read"),
    reason: z
      .string()
      .exactOptional()
      .describe("Why, in at most 1 KiB; for a denial this is what the agent is told"),
    standing_seconds: z
      .int()
      .min(1)
      .exactOptional()
      .describe(
        "Lets the approval also stand for later statements of the same shape, for so long; standing_seconds_max at most",
      ),
    rows_changed_max: z
      .int()
      .min(0)
      .exactOptional()
      .describe(
        "Rows that the statement may change at most; absent: as many as the preview has shown you",
      ),
  })
  .meta({
    id: "ApprovalChoice",
    description: "A decision about an approval",
    examples: [{ digest: APPROVAL_EXAMPLE.digest, reason: "Order 42 is a test order" }],
  });

/** The input of a decision about an approval. */
export const decidedApproval = z
  .strictObject({ approval_id: approvalId, ...approvalChoice.shape })
  .meta({
    examples: [{ approval_id: APPROVAL_EXAMPLE.approval_id, digest: APPROVAL_EXAMPLE.digest }],
  });
