/**
 * RDF as text, by the libraries that know its formats. Nothing of them is loaded before it is needed.
 */
import { nQuad, type Quad, type RdfCodec, type RdfFormat } from "../../state/index.js";
import { labelBlankNodes } from "./blank-labels.js";
import { readJsonLd } from "./read-json-ld.js";
import { readText } from "./read-text.js";
import { writeJsonLd } from "./write-json-ld.js";
import { writeTurtle } from "./write-turtle.js";

export { RdfSource } from "./rdf-source.js";

/** Reads and writes N-Triples, N-Quads, Turtle, TriG and JSON-LD. */
export const rdfCodec: RdfCodec = {
  read: async (text, format) => labelBlankNodes(await readQuads(text, format)),
  write: async function* (quads, format) {
    switch (format) {
      case "n-triples":
      case "n-quads":
        for (const one of quads) yield nQuad(one);
        return;
      case "turtle":
      case "trig":
        yield* writeTurtle(quads, format);
        return;
      case "json-ld":
        yield* writeJsonLd(quads);
    }
  },
};

function readQuads(text: string, format: RdfFormat): Promise<readonly Quad[]> {
  return format === "json-ld" ? readJsonLd(text) : readText(text, format);
}
