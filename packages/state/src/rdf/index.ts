/** Parsers and serializers of RDF, based on libraries that are loaded on demand. */
import type { RdfCodec } from "../ports.js";
import { DocumentReader } from "./document-reader.js";
import { writeQuads } from "./write-quads.js";

export { RdfSource } from "./rdf-source.js";

/** Opens a codec for N-Triples, N-Quads, Turtle, TriG and JSON-LD. */
export function openRdfCodec(): RdfCodec {
  const texts = new DocumentReader();
  // Streamed documents have a reader of their own, so that slow senders do not block documents that
  // are complete.
  const streams = new DocumentReader();
  return {
    read: (orgId, content, format) =>
      typeof content === "string"
        ? texts.read(orgId, [Buffer.from(content)], format)
        : streams.read(orgId, content, format),
    write: writeQuads,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([texts, streams].map((reader) => reader[Symbol.asyncDispose]()));
    },
  };
}
