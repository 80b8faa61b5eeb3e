import * as z from "zod";
import type { Infer } from "../operation.js";

export const time = z.string().meta({ format: "date-time" });

export const auditRecordShape = {
  index: z.int().min(0).describe("Place in the log, from 0"),
  entry: z.string().describe("The record as it was hashed: canonical JSON"),
  salt: z.string().exactOptional().describe("The salt of the digest in the entry"),
  values: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      "Personal values by their place in the entry, which has one digest of all; absent when they were erased",
    ),
};

export const AUDIT_EXAMPLE = {
  index: 41,
  entry:
    '{"at":"2026-03-01T09:30:00.000Z","detail":{"events":[{"sequence":1,"type":"PlanCreated"}]},"kind":"plan.changed","org":"11111111-1111-4111-8111-111111111111","subject":"0195b2a0-0000-7000-8000-000000000000","v":2}',
};

export const auditRecord = z
  .object(auditRecordShape)
  .meta({ id: "AuditRecord", description: "A record of the audit log", examples: [AUDIT_EXAMPLE] });

export type AuditRecord = Infer<typeof auditRecord>;
