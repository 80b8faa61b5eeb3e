import { AppError } from "@steward/kernel/errors.js";
import { STATE_DOCUMENT_QUADS_MAX, STATE_DOCUMENT_TERM_BYTES_MAX } from "../limits.js";
import { type Hash, type QuadLike, QuadTableBuilder } from "../index.js";
import type { RdfDocument } from "../ports.js";

/** Collects the quads of a document in the form that a store accepts. */
export class DocumentBuilder {
  readonly #bodies = new Map<Hash, Uint8Array>();
  #bodyBytes = 0;
  #size = 0;
  readonly #table = new QuadTableBuilder((hash, body) => {
    if (this.#bodies.has(hash)) return;
    this.#bodies.set(hash, body);
    this.#bodyBytes += body.length;
  });

  /** @throws AppError `LIMIT_EXCEEDED`, and the errors of a store for an invalid quad. */
  add(quad: QuadLike): void {
    this.#size += 1;
    if (this.#size > STATE_DOCUMENT_QUADS_MAX) {
      throw tooMuch("quads", STATE_DOCUMENT_QUADS_MAX, "STATE_DOCUMENT_QUADS_MAX");
    }
    this.#table.add(quad);
    // The check is needed because a JSON-LD context can expand short names to very long IRIs.
    if (this.#table.termBytes + this.#bodyBytes <= STATE_DOCUMENT_TERM_BYTES_MAX) return;
    throw tooMuch("bytes of terms", STATE_DOCUMENT_TERM_BYTES_MAX, "STATE_DOCUMENT_TERM_BYTES_MAX");
  }

  finish(): RdfDocument {
    return { quads: this.#table.finish(), bodies: this.#bodies };
  }
}

function tooMuch(what: string, max: number, limit: string): AppError {
  const reason = `the document yields more than ${max} ${what} (${limit}): import it in parts`;
  return new AppError("LIMIT_EXCEEDED", `content: ${reason}`, {
    details: [{ field: "content", reason }],
  });
}
