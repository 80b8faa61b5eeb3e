import { setImmediate as nextTurn } from "node:timers/promises";
import { nQuad, type Quad } from "../index.js";
import type { RdfFormat } from "../ports.js";
import { writeJsonLd } from "./write-json-ld.js";
import { writeTurtle } from "./write-turtle.js";

/** UTF-16 units per piece. Writing a piece takes a few milliseconds. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Serializes quads in pieces, and yields the event loop after each piece. N-Triples and Turtle omit
 * graphs.
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

/** Joins many lines per step, because awaiting each line would take longer than writing it. */
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
