import * as z from "zod";
import { type InputOf, operation } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";
import { AUDIT_EXAMPLE, auditRecord, time } from "./audit-record.js";

export const listAuditRecords = operation({
  name: "listAuditRecords",
  action: "audit:read",
  summary: "List audit records, newest first",
  description:
    "Records of your organization, a page at a time, including everything that this server acknowledged before the request.",
  tag: "Audit",
  input: z.strictObject({
    kind: z
      .string()
      .exactOptional()
      .describe("Only records of this kind, such as plan.changed, or of a group such as plan"),
    subject: z.string().exactOptional().describe("Only records about this id, such as a plan's"),
    from: time.exactOptional().describe("Only records from this time on, RFC 3339"),
    until: time.exactOptional().describe("Only records before this time, RFC 3339"),
    limit: pageLimit(500).describe("Records on the page; large ones are fewer"),
    cursor: cursor.describe("The next_cursor of the page before"),
  }),
  output: z
    .object({
      records: z.array(auditRecord).readonly().describe("Newest first"),
      next_cursor: nextCursor.describe("Cursor of the next page; absent on the last"),
    })
    .meta({
      id: "AuditPage",
      description: "A page of audit records, newest first",
      examples: [{ records: [AUDIT_EXAMPLE] }],
    }),
  errors: [403, 501],
  rest: { method: "GET", path: "/api/audit/records", answered: "A page of records" },
});

export type AuditQuery = InputOf<typeof listAuditRecords>;
