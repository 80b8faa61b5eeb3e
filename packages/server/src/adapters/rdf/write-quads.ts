import { nQuad, type Quad, type RdfFormat } from "../../state/index.js";
import { writeJsonLd } from "./write-json-ld.js";
import { writeTurtle } from "./write-turtle.js";

/** Writes quads, piece by piece. N-Triples and Turtle say nothing of graphs. */
export async function* writeQuads(
  quads: Iterable<Quad>,
  format: RdfFormat,
): AsyncGenerator<string> {
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
}
