import {
  audit as operations,
  type AuditRecord as AuditRecordMessage,
  type AuditWitness,
} from "@steward/operations";
import { invalidField } from "@steward/kernel/errors.js";
import {
  verifierKeyText,
  type AuditRecord,
  type AuditService,
  type WitnessState,
} from "../../audit/index.js";
import { AUDIT_PAGE_DEFAULT } from "../../audit/limits.js";
import { present } from "../../kernel/present.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on records of the audit log do. */
export function auditRecordOperations(audit: AuditService): readonly Implemented[] {
  return [
    implement(operations.listAuditRecords, async ({ input, context }) => {
      const { kind, subject, from, until, limit = AUDIT_PAGE_DEFAULT, cursor } = input;
      const times = { fromMs: timeOf("from", from), untilMs: timeOf("until", until) };
      const page = await audit.list(
        context,
        { kind, subject, ...times },
        limit,
        positionOf(cursor),
      );
      const next = page.next === undefined ? {} : { next_cursor: String(page.next) };
      return { records: page.records.map(recordMessage), ...next };
    }),
    implement(operations.getAuditRecord, async ({ input, context }) => {
      const { record, checkpoint, proof } = await audit.record(context, input.index);
      return { ...recordMessage(record), checkpoint, proof: proof.map(base64) };
    }),
    implement(operations.proveAuditConsistency, async ({ input: { older, newer } }) => ({
      proof: (await audit.consistency(older, newer)).map(base64),
    })),
  ];
}

/** What the operation on the witnesses of the audit log does. */
export function auditWitnessOperations(audit: AuditService): readonly Implemented[] {
  return [
    implement(operations.listAuditWitnesses, async () =>
      (await audit.witnesses()).map(witnessMessage),
    ),
  ];
}

function witnessMessage({ key, cosigned }: WitnessState): AuditWitness {
  const named = { name: key.name, verifier_key: verifierKeyText(key) };
  if (cosigned === undefined) return named;
  const { size, note, atSeconds } = cosigned;
  const cosignedAt = new Date(Math.min(atSeconds * 1000, DATE_MAX_MS)).toISOString();
  return { ...named, size, cosigned_at: cosignedAt, checkpoint: note };
}

/** The last time that a date of JavaScript can hold, in ms since the epoch. */
const DATE_MAX_MS = 8.64e15;

function recordMessage({ index, entry, personal }: AuditRecord): AuditRecordMessage {
  return { index, entry, ...present({ salt: personal?.salt, values: personal?.values }) };
}

function base64(hash: Buffer): string {
  return hash.toString("base64");
}

function timeOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalidField(field, "must be a time such as 2026-03-01T09:30:00Z");
  return ms;
}

/** The cursor of a page is the index of the last record on the page before. */
function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,15}$/.test(cursor)) {
    throw invalidField("cursor", "it is not the next_cursor of an earlier page");
  }
  return Number(cursor);
}
