import * as z from "zod";
import { operation } from "../operation.js";

export const proveAuditConsistency = operation({
  name: "proveAuditConsistency",
  action: "audit:read",
  summary: "Prove that the audit log begins with an earlier state of it",
  description:
    "For an auditor who has kept a checkpoint: the proof shows that no record below it was changed or removed.",
  tag: "Audit",
  input: z
    .strictObject({
      older: z.coerce.number().int().min(0).describe("Number of records at the earlier checkpoint"),
      newer: z.coerce.number().int().min(0).describe("Number of records at the later checkpoint"),
    })
    .meta({ examples: [{ older: 0, newer: 0 }] }),
  output: z
    .object({
      proof: z
        .array(z.string())
        .readonly()
        .describe("Consistency proof (RFC 6962), hashes in base64"),
    })
    .meta({
      id: "AuditConsistency",
      description: "The proof that the log of a later size begins with that of an earlier size",
      examples: [{ proof: ["qqo="] }],
    }),
  errors: [403, 501],
  rest: { method: "GET", path: "/api/audit/consistency", answered: "The proof" },
});
