import { setImmediate as nextTurn } from "node:timers/promises";
import { nQuad, type Quad, type RdfFormat } from "../../state/index.js";
import { writeJsonLd } from "./write-json-ld.js";
import { writeTurtle } from "./write-turtle.js";

/** UTF-16 units of one piece: they take a few milliseconds, and a write to a socket. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Writes quads, piece by piece, with a turn of the event loop for others after each. N-Triples and Turtle say nothing
 * of graphs.
 */
export async function* writeQuads(
  quads: Iterable<Quad>,
  format: RdfFormat,
): AsyncGenerator<string> {
  let piece = "";
  for await (const text of textsOf(quads, format)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
    await nextTurn();
  }
  if (piece !== "") yield piece;
}

function textsOf(
  quads: Iterable<Quad>,
  format: RdfFormat,
): Iterable<string> | AsyncIterable<string> {
  switch (format) {
    case "n-triples":
    case "n-quads":
      return statements(quads);
    case "turtle":
    case "trig":
      return writeTurtle(quads, format);
    case "json-ld":
      return writeJsonLd(quads);
  }
}

/** Many at a time: waiting for each one would take longer than writing it. */
function* statements(quads: Iterable<Quad>): Generator<string> {
  let piece = "";
  for (const one of quads) {
    piece += nQuad(one);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
