import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { AUDIT_EXAMPLE, auditRecordShape } from "./audit-record.js";

const provenAuditRecord = z
  .object({
    ...auditRecordShape,
    checkpoint: z.string().describe("Signed note of the checkpoint whose tree contains the record"),
    proof: z.array(z.string()).readonly().describe("Inclusion proof (RFC 6962), hashes in base64"),
  })
  .meta({
    id: "ProvenAuditRecord",
    description: "An audit record with the proof that the log contains it",
    examples: [
      {
        ...AUDIT_EXAMPLE,
        checkpoint: "steward/audit\n42\nqqo=\n\n— steward/audit AAAAAA==\n",
        proof: ["qqo="],
      },
    ],
  });

export type ProvenAuditRecord = Infer<typeof provenAuditRecord>;

export const getAuditRecord = operation({
  name: "getAuditRecord",
  action: "audit:read",
  summary: "Show an audit record with its proof",
  description:
    "The inclusion proof leads from the record's hash to the root of the checkpoint, which is signed.",
  tag: "Audit",
  input: z
    .strictObject({ index: z.coerce.number().int().min(0).describe("Place in the log") })
    .meta({ examples: [{ index: AUDIT_EXAMPLE.index }] }),
  output: provenAuditRecord,
  errors: [403, 404, 501],
  rest: {
    method: "GET",
    path: "/api/audit/records/{index}",
    answered: "The record and its proof",
  },
});
