import * as z from "zod";
import type { AuditService } from "../../../audit/index.js";
import { auditRecordOperations, auditWitnessOperations } from "../../operations/audit.js";
import { addOperationRoutes } from "../../operations/wires/rest-routes.js";
import { errors } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Audit"];

/** The audit log (Decision §23): records under `/api/audit`, the files of C2SP tlog-tiles under `/audit`. */
export function addAuditRoutes(app: RestApp, audit: AuditService): void {
  addOperationRoutes(app, auditRecordOperations(audit));
  addCheckpoint(app, audit);
  addOperationRoutes(app, auditWitnessOperations(audit));
  addTile(app, audit);
  addEntries(app, audit);
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
