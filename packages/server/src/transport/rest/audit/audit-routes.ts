import {
  auditConsistencyQuerySchema,
  auditConsistencySchema,
  auditPageSchema,
  auditQuerySchema,
  auditWitnessesSchema,
  dataOf,
  provenAuditRecordSchema,
  type AuditWitness,
  type AuditRecord as AuditRecordMessage,
} from "@steward/protocol/rest";
import * as z from "zod";
import { invalidField } from "@steward/kernel/errors.js";
import {
  verifierKeyText,
  type AuditRecord,
  type AuditService,
  type WitnessState,
} from "../../../audit/index.js";
import { AUDIT_PAGE_DEFAULT } from "../../../audit/limits.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { present } from "../../present.js";

const tags = ["Audit"];
const RECORDS = "/api/audit/records";

/** The audit log (Decision §23): records under `/api/audit`, the files of C2SP tlog-tiles under `/audit`. */
export function addAuditRoutes(app: RestApp, audit: AuditService): void {
  addList(app, audit);
  addRecord(app, audit);
  addConsistency(app, audit);
  addCheckpoint(app, audit);
  addWitnesses(app, audit);
  addTile(app, audit);
  addEntries(app, audit);
}

function addList(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "listAuditRecords",
    summary: "List audit records, newest first",
    description:
      "Records of your organization, a page at a time, including everything that this server acknowledged before the request.",
    tags,
    querystring: auditQuerySchema,
    response: { 200: json("A page of records", dataOf(auditPageSchema)), ...errors(403, 501) },
  };
  app.get(RECORDS, { schema }, async ({ query, context }) => {
    const { kind, subject, from, until, limit = AUDIT_PAGE_DEFAULT, cursor } = query;
    const filter = { kind, subject, fromMs: timeOf("from", from), untilMs: timeOf("until", until) };
    const page = await audit.list(context, filter, limit, positionOf(cursor));
    const next = page.next === undefined ? {} : { next_cursor: String(page.next) };
    return { data: { records: page.records.map(recordMessage), ...next } };
  });
}

function addRecord(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "getAuditRecord",
    summary: "Show an audit record with its proof",
    description:
      "The inclusion proof leads from the record's hash to the root of the checkpoint, which is signed.",
    tags,
    params: z.object({ index: z.coerce.number().int().min(0).describe("Place in the log") }),
    response: {
      200: json("The record and its proof", dataOf(provenAuditRecordSchema)),
      ...errors(403, 404, 501),
    },
  };
  app.get(`${RECORDS}/:index`, { schema }, async ({ params, context }) => {
    const { record, checkpoint, proof } = await audit.record(context, params.index);
    return { data: { ...recordMessage(record), checkpoint, proof: proof.map(base64) } };
  });
}

function addConsistency(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "proveAuditConsistency",
    summary: "Prove that the audit log begins with an earlier state of it",
    description:
      "For an auditor who has kept a checkpoint: the proof shows that no record below it was changed or removed.",
    tags,
    querystring: auditConsistencyQuerySchema,
    response: { 200: json("The proof", dataOf(auditConsistencySchema)), ...errors(403, 501) },
  };
  app.get("/api/audit/consistency", { schema }, async ({ query }) => {
    const proof = await audit.consistency(query.older, query.newer);
    return { data: { proof: proof.map(base64) } };
  });
}

function addCheckpoint(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "getAuditCheckpoint",
    summary: "Read the newest checkpoint of the audit log",
    description:
      "A signed note (C2SP signed-note). Keep it where the operator of this server cannot change it: it proves every record up to its size.",
    tags,
    response: { 200: file("The signed note", "text/plain; charset=utf-8"), ...errors(403, 501) },
  };
  app.get("/audit/checkpoint", { schema }, async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send(await audit.checkpoint()),
  );
}

function addWitnesses(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "listAuditWitnesses",
    summary: "List the witnesses of the audit log",
    description:
      "Each with the newest checkpoint that it has cosigned (C2SP tlog-cosignature): the proof that the server showed the witness the same log.",
    tags,
    response: { 200: json("The witnesses", dataOf(auditWitnessesSchema)), ...errors(403, 501) },
  };
  app.get("/api/audit/witnesses", { schema }, async () => ({
    data: (await audit.witnesses()).map(witnessMessage),
  }));
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

function addTile(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "getAuditTile",
    summary: "Read a tile of the audit log's hashes",
    description: "Up to 256 hashes of one level, as C2SP tlog-tiles defines their paths.",
    tags,
    params: z.object({ level: z.string().describe("Level from 0"), "*": PLACE }),
    response: { 200: file("The hashes", BYTES), ...errors(403, 404, 501) },
  };
  app.get("/audit/tile/:level/*", { schema }, async ({ params }, reply) =>
    reply.type(BYTES).send(await audit.tile(`tile/${params.level}/${params["*"]}`)),
  );
}

function addEntries(app: RestApp, audit: AuditService): void {
  const schema = {
    operationId: "getAuditEntries",
    summary: "Read a bundle of audit records",
    description:
      "Up to 256 records of all organizations, each after its length in 16 bits, for operators who export the log.",
    tags,
    params: z.object({ "*": PLACE }),
    response: { 200: file("The records", BYTES), ...errors(403, 404, 501) },
  };
  app.get("/audit/tile/entries/*", { schema }, async ({ params }, reply) =>
    reply.type(BYTES).send(await audit.tile(`tile/entries/${params["*"]}`)),
  );
}

/** The rest of a tile's path. */
const PLACE = z
  .string()
  .describe("Index in groups of three digits, such as x001/234, or x001/234.p/5");

const BYTES = "application/octet-stream";

/** Describes an answer that is no JSON. */
function file(description: string, type: string) {
  const schema = z.unknown().meta({ description, examples: ["…"] });
  return { description, content: { [type]: { schema } } };
}

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
