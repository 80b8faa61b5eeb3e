import * as z from "zod";
import { RETENTION_DAYS_MAX } from "../retention/retention-periods.js";

export const retentionShape = {
  days: z
    .int()
    .min(1)
    .max(RETENTION_DAYS_MAX)
    .nullable()
    .describe(
      "Age in days after which entries are deleted; in a request null: the operator's period, in an answer: without limit",
    ),
};

/** How long an organization's entries are kept. */
export const memoryRetention = z.object(retentionShape).meta({
  id: "MemoryRetention",
  description: "How long entries are kept",
  examples: [{ days: 90 }],
});
