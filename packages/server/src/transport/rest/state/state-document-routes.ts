import { Readable } from "node:stream";
import {
  STATE_FORMATS,
  stateDocumentQuerySchema,
  stateExportQuerySchema,
  type StateFormat,
  stateImportedSchema,
  stateImportSchema,
} from "@steward/operations";
import { dataOf } from "@steward/protocol/rest";
import type { FastifyReply } from "fastify";
import * as z from "zod";
import { invalidField } from "@steward/kernel/errors.js";
import { commitId, commitOfId, type Hash, type StateService } from "@steward/state";
import { errors, json } from "../described-replies.js";
import { withApprovedIds } from "../../approvals/approved-ids.js";
import { resolvesOf } from "../../operations.js";
import { discardBody } from "../discard-body.js";
import type { ResourceRights } from "../../resource-rights.js";
import type { RestApp } from "../rest-app.js";
import { importedMessage, parseGraph } from "./state-messages.js";

const tags = ["State"];
/** The default branch. */
const MAIN = "main";

const MEDIA_TYPES: Readonly<Record<StateFormat, string>> = {
  "n-triples": "application/n-triples",
  "n-quads": "application/n-quads",
  turtle: "text/turtle",
  trig: "application/trig",
  "json-ld": "application/ld+json",
};

/** The formats by their media types. */
const FORMATS: ReadonlyMap<string, StateFormat> = new Map(
  // The keys are the names of the object above.
  Object.entries(MEDIA_TYPES).map(([format, type]) => [type, format as StateFormat]),
);

/** A streamed document, whose content is checked while it is read. */
const documentSchema = z.unknown().meta({
  description: "The document",
  examples: ['<urn:order:1> <urn:p:status> "open" .'],
});

/** Import and export of RDF documents. */
export function addDocumentRoutes(app: RestApp, state: StateService, rights: ResourceRights): void {
  addImport(app, state, rights);
  // Only these routes accept the RDF media types.
  app.register((documents, _options, done) => {
    addDocuments(documents, state, rights);
    done();
  });
  addExport(app, state);
}

/** The commit with this id; undefined for null. */
export function hashOrNone(id: string | null): Hash | undefined {
  return id === null ? undefined : commitOfId(id);
}

function addImport(app: RestApp, state: StateService, rights: ResourceRights): void {
  const schema = {
    operationId: "importState",
    summary: "Import an RDF document as one commit",
    description:
      "A document that changes nothing makes no commit. The error for malformed RDF names the line and the column.",
    tags,
    body: stateImportSchema,
    response: { 200: json("It is in", dataOf(stateImportedSchema)), ...errors(409, 413) },
  };
  const config = { tooLargeFix: "send the document to /api/state/documents" };
  app.post("/api/state/import", { schema, config }, async ({ body, context }) => {
    const input = withApprovedIds(body, resolvesOf("importState"), context.resolved);
    const { branch = MAIN, mode = "add", format, content, remove, message, expected } = input;
    if (remove !== undefined && mode !== "add") {
      throw invalidField(
        "remove",
        `quads can be removed beside the content only with the mode add, not ${mode}`,
      );
    }
    const writer = await rights.writeBranch(context, branch);
    const outcome = await state.import(writer, {
      ...{ branch, mode, format, content, removed: remove, message },
      ...(expected === undefined ? {} : { expected: hashOrNone(expected) ?? null }),
    });
    return { data: importedMessage(outcome) };
  });
}

/** One quad in the default graph, in each format. */
const FORMAT_EXAMPLES: Readonly<Record<StateFormat, string>> = {
  "n-triples": '<urn:order:1> <urn:p:status> "open" .\n',
  "n-quads": '<urn:order:1> <urn:p:status> "open" .\n',
  turtle: '<urn:order:1> <urn:p:status> "open" .\n',
  trig: '<urn:order:1> <urn:p:status> "open" .\n',
  "json-ld": '[{"@id":"urn:order:1","urn:p:status":[{"@value":"open"}]}]\n',
};

/** Routes whose request body is a document, read as a stream. */
function addDocuments(app: RestApp, state: StateService, rights: ResourceRights): void {
  // The route itself checks the content types.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, body, done) => {
    done(null, body);
  });
  const schema = {
    operationId: "importStateDocument",
    summary: "Import a large RDF document as one commit",
    description:
      "The body is the document; its content type names the format. It is read as a stream: at most 512 " +
      "MiB and 2 000 000 quads. N-Quads and N-Triples take the least memory and time.",
    tags,
    consumes: [...FORMATS.keys()],
    querystring: stateDocumentQuerySchema,
    body: documentSchema,
    response: { 200: json("It is in", dataOf(stateImportedSchema)), ...errors(409, 413) },
  };
  app.post("/api/state/documents", { schema }, async ({ query, headers, raw, context }) => {
    const { branch = MAIN, mode = "add", message, expected } = query;
    try {
      const writer = await rights.writeBranch(context, branch);
      const format = formatOf(headers["content-type"]);
      // The request is answered even if its body cannot be read.
      const content: AsyncIterable<Uint8Array> = raw.iterator({ destroyOnReturn: false });
      const outcome = await state.import(writer, {
        ...{ branch, mode, format, content, message },
        ...(expected === undefined ? {} : { expected: commitOfId(expected, "expected") }),
      });
      return { data: importedMessage(outcome) };
    } catch (error) {
      await discardBody(raw);
      throw error;
    }
  });
}

function formatOf(contentType = ""): StateFormat {
  const [type = ""] = contentType.split(";", 1);
  const format = FORMATS.get(type.trim().toLowerCase());
  if (format !== undefined) return format;
  throw invalidField("content-type", `must be one of ${[...FORMATS.keys()].join(", ")}`);
}

function addExport(app: RestApp, state: StateService): void {
  const content = STATE_FORMATS.map((format) => [
    MEDIA_TYPES[format],
    { schema: z.string().meta({ examples: [FORMAT_EXAMPLES[format]] }) },
  ]);
  const schema = {
    operationId: "exportState",
    summary: "Export the dataset of a commit as RDF",
    description:
      "The whole dataset or one graph of it, sent while it is read. The ETag is the content id of the commit.",
    tags,
    querystring: stateExportQuerySchema,
    response: {
      200: {
        description: "The dataset, in the format asked for",
        content: Object.fromEntries(content) as Record<string, { schema: z.ZodString }>,
      },
      ...errors(404),
    },
  };
  app.get("/api/state/export", { schema }, async ({ query, context }, reply) => {
    const input = withApprovedIds(query, resolvesOf("exportState"), context.resolved);
    const { at = MAIN, format = "n-quads", graph } = input;
    const named = graph === undefined ? undefined : parseGraph(graph);
    const { commit, text } = await state.export(context, at, format, named);
    return sendText(reply, MEDIA_TYPES[format], commitId(commit), text);
  });
}

/** Streams text; the commit that it comes from never changes. */
function sendText(
  reply: FastifyReply,
  mediaType: string,
  commit: string,
  text: AsyncIterable<string>,
): FastifyReply {
  return reply
    .header("content-type", `${mediaType}; charset=utf-8`)
    .header("etag", `"${commit}"`)
    .send(Readable.from(text));
}
