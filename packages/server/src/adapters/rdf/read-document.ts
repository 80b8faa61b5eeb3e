import { AppError } from "../../kernel/errors.js";
import { STATE_DOCUMENT_QUADS_MAX, STATE_DOCUMENT_TERM_BYTES_MAX } from "../../kernel/limits.js";
import {
  type Hash,
  type Quad,
  QuadTableBuilder,
  type RdfDocument,
  type RdfFormat,
} from "../../state/index.js";
import { labelBlankNodes } from "./blank-labels.js";
import { readJsonLd } from "./read-json-ld.js";
import { readText } from "./read-text.js";

/**
 * Reads a document. Blank nodes are labelled by what is said about them.
 * @throws AppError `INVALID_ARGUMENT`, naming line and column, when it is malformed, and `LIMIT_EXCEEDED`.
 */
export async function readDocument(text: string, format: RdfFormat): Promise<readonly Quad[]> {
  const quads = format === "json-ld" ? await readJsonLd(text) : await readText(text, format);
  if (quads.length > STATE_DOCUMENT_QUADS_MAX) {
    throw tooMuch("quads", STATE_DOCUMENT_QUADS_MAX, "STATE_DOCUMENT_QUADS_MAX");
  }
  return labelBlankNodes(quads);
}

/** The quads as a store takes them. @throws AppError `LIMIT_EXCEEDED`. */
export function documentOf(quads: Iterable<Quad>): RdfDocument {
  const bodies = new Map<Hash, Uint8Array>();
  const builder = new QuadTableBuilder((hash, body) => bodies.set(hash, body));
  for (const one of quads) {
    builder.add(one);
    // A few short names in a context can stand for very long ones.
    if (builder.termBytes <= STATE_DOCUMENT_TERM_BYTES_MAX) continue;
    throw tooMuch("bytes of terms", STATE_DOCUMENT_TERM_BYTES_MAX, "STATE_DOCUMENT_TERM_BYTES_MAX");
  }
  return { quads: builder.finish(), bodies };
}

function tooMuch(what: string, max: number, limit: string): AppError {
  const reason = `the document makes more than ${max} ${what} (${limit}): import it in parts`;
  return new AppError("LIMIT_EXCEEDED", `content: ${reason}`, {
    details: [{ field: "content", reason }],
  });
}
