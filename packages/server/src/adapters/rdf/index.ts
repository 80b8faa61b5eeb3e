/**
 * RDF as text, by the libraries that know its formats. Nothing of them is loaded before it is needed.
 */
import type { RdfCodec } from "../../state/index.js";
import { DocumentReader } from "./document-reader.js";
import { writeQuads } from "./write-quads.js";

export { RdfSource } from "./rdf-source.js";

/** Reads and writes N-Triples, N-Quads, Turtle, TriG and JSON-LD. */
export function openRdfCodec(): RdfCodec {
  const reader = new DocumentReader();
  return {
    read: (text, format) => reader.read(text, format),
    write: writeQuads,
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}
