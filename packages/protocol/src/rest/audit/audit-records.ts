import * as z from "zod";
import type { Message } from "../envelope.js";

const time = z.string().meta({ format: "date-time" });
const index = z.int().min(0);

const auditRecordShape = {
  /** Place in the log, from 0. */
  index: index.describe("Place in the log, from 0"),
  /** The record as it was hashed: canonical JSON. */
  entry: z.string().describe("The record as it was hashed: canonical JSON"),
  /** The salt of the digests; absent when there are no personal values any more. */
  salt: z.string().exactOptional().describe("The salt of the digests in the entry"),
  /** Personal values by their place in the entry, which has their digests. */
  values: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      "Personal values by their place in the entry, which has their digests; absent when they were erased",
    ),
};

/** A record of the audit log. */
export interface AuditRecord extends Message<typeof auditRecordShape> {}

const EXAMPLE = {
  index: 41,
  entry:
    '{"at":"2026-03-01T09:30:00.000Z","detail":{"events":[{"sequence":1,"type":"PlanCreated"}]},"kind":"plan.changed","org":"11111111-1111-4111-8111-111111111111","subject":"0195b2a0-0000-7000-8000-000000000000","v":1}',
};

export const auditRecordSchema: z.ZodType<AuditRecord> = z
  .object(auditRecordShape)
  .meta({ id: "AuditRecord", description: "A record of the audit log", examples: [EXAMPLE] });

const auditPageShape = {
  records: z.array(auditRecordSchema).readonly().describe("Newest first"),
  /** Absent on the last page. */
  next_cursor: z.string().exactOptional().describe("Cursor of the next page; absent on the last"),
};

/** A page of audit records. */
export interface AuditPage extends Message<typeof auditPageShape> {}

export const auditPageSchema: z.ZodType<AuditPage> = z.object(auditPageShape).meta({
  id: "AuditPage",
  description: "A page of audit records, newest first",
  examples: [{ records: [EXAMPLE] }],
});

const auditQueryShape = {
  kind: z
    .string()
    .exactOptional()
    .describe("Only records of this kind, such as plan.changed, or of a group such as plan"),
  subject: z.string().exactOptional().describe("Only records about this id, such as a plan's"),
  from: time.exactOptional().describe("Only records from this time on, RFC 3339"),
  until: time.exactOptional().describe("Only records before this time, RFC 3339"),
  limit: z.coerce.number().int().min(1).max(500).exactOptional().describe("Records on the page"),
  cursor: z.string().exactOptional().describe("The next_cursor of the page before"),
};

/** Conditions and position of a page of audit records. */
export interface AuditQuery extends Message<typeof auditQueryShape> {}

export const auditQuerySchema: z.ZodType<AuditQuery> = z.strictObject(auditQueryShape);

const provenAuditRecordShape = {
  ...auditRecordShape,
  /** The signed note of the checkpoint whose tree contains the record. */
  checkpoint: z.string().describe("Signed note of the checkpoint whose tree contains the record"),
  /** RFC 6962 §2.1.1, base64. */
  proof: z.array(z.string()).readonly().describe("Inclusion proof (RFC 6962), hashes in base64"),
};

/** A record with its inclusion proof. */
export interface ProvenAuditRecord extends Message<typeof provenAuditRecordShape> {}

export const provenAuditRecordSchema: z.ZodType<ProvenAuditRecord> = z
  .object(provenAuditRecordShape)
  .meta({
    id: "ProvenAuditRecord",
    description: "An audit record with the proof that the log contains it",
    examples: [
      {
        ...EXAMPLE,
        checkpoint: "steward/audit\n42\nqqo=\n\n— steward/audit AAAAAA==\n",
        proof: ["qqo="],
      },
    ],
  });

const consistencyShape = {
  /** RFC 6962 §2.1.2, base64. */
  proof: z.array(z.string()).readonly().describe("Consistency proof (RFC 6962), hashes in base64"),
};

/** The proof that a log begins with an earlier state of it. */
export interface AuditConsistency extends Message<typeof consistencyShape> {}

export const auditConsistencySchema: z.ZodType<AuditConsistency> = z.object(consistencyShape).meta({
  id: "AuditConsistency",
  description: "The proof that the log of a later size begins with that of an earlier size",
  examples: [{ proof: ["qqo="] }],
});

const witnessShape = {
  /** The name of the witness's key. */
  name: z.string().describe("The name of the witness"),
  /** The public key in the text form of C2SP signed-note. */
  verifier_key: z.string().describe("Its public key (C2SP signed-note)"),
  /** Absent: the witness has cosigned nothing yet. */
  size: index.exactOptional().describe("Number of records that its newest checkpoint covers"),
  /** By the clock of the witness. */
  cosigned_at: time.exactOptional().describe("When it cosigned that checkpoint, by its own clock"),
  /** A signed note with the signatures of the log and of the witness. */
  checkpoint: z.string().exactOptional().describe("That checkpoint, with the cosignature"),
};

/** A witness of the audit log, with what it has cosigned last. */
export interface AuditWitness extends Message<typeof witnessShape> {}

const auditWitnessSchema: z.ZodType<AuditWitness> = z.object(witnessShape).meta({
  id: "AuditWitness",
  description: "A witness of the audit log, with the newest checkpoint that it has cosigned",
  examples: [
    {
      name: "witness.example.com/w1",
      verifier_key: "witness.example.com/w1+8d66cf3f+BAAA",
      size: 42,
      cosigned_at: "2026-03-01T09:30:10Z",
      checkpoint:
        "steward/audit\n42\nqqo=\n\n— steward/audit AAAAAA==\n— witness.example.com/w1 jWbPPw==\n",
    },
  ],
});

export const auditWitnessesSchema: z.ZodType<readonly AuditWitness[]> = z
  .array(auditWitnessSchema)
  .readonly();

const consistencyQueryShape = {
  older: z.coerce.number().int().min(0).describe("Number of records at the earlier checkpoint"),
  newer: z.coerce.number().int().min(0).describe("Number of records at the later checkpoint"),
};

/** Two sizes of the log. */
export interface AuditConsistencyQuery extends Message<typeof consistencyQueryShape> {}

export const auditConsistencyQuerySchema: z.ZodType<AuditConsistencyQuery> =
  z.strictObject(consistencyQueryShape);
