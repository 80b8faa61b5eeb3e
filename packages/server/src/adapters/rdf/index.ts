/**
 * RDF as text, by the libraries that know its formats. Nothing of them is loaded before it is needed.
 */
import type { RdfCodec } from "../../state/index.js";
import { DocumentReader } from "./document-reader.js";
import { writeQuads } from "./write-quads.js";

export { RdfSource } from "./rdf-source.js";

/** Reads and writes N-Triples, N-Quads, Turtle, TriG and JSON-LD. */
export function openRdfCodec(): RdfCodec {
  const texts = new DocumentReader();
  // Who sends slowly holds up nobody whose document is there.
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
