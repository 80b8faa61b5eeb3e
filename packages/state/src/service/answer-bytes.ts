import { AppError } from "@steward/kernel/errors.js";
import type { Bindings } from "../datasets/basic-graph-pattern.js";
import { STATE_ANSWER_BYTES_MAX } from "../limits.js";
import { jsonQuad, jsonTerm } from "../terms/json-term.js";
import type { Quad } from "../terms/term.js";

/**
 * Counts an answer's bytes of JSON while a search collects it. The limits of rows and quads do not
 * limit its size, because a row may have many variables and a literal may be long.
 */
export class AnswerBytes {
  #left = STATE_ANSWER_BYTES_MAX;

  /** Counts a solution. @throws AppError `LIMIT_EXCEEDED` when it does not fit. */
  addRow(row: Bindings): void {
    for (const [name, term] of row) {
      if (!this.#fits({ [name]: jsonTerm(term) })) {
        throw tooLong("lower the limit, or use fewer variables");
      }
    }
  }

  /**
   * Counts a quad of a page.
   * @returns whether it fits; the page ends before a quad that does not.
   * @throws AppError `LIMIT_EXCEEDED` when it is the page's first quad and does not fit, because an
   * empty page would look like the last one.
   */
  addQuad(quad: Quad): boolean {
    const isFirst = this.#left === STATE_ANSWER_BYTES_MAX;
    const fits = this.#fits(jsonQuad(quad));
    if (!fits && isFirst) throw tooLong("a single quad is that long; export the dataset instead");
    return fits;
  }

  #fits(part: unknown): boolean {
    this.#left -= Buffer.byteLength(JSON.stringify(part)) + 1;
    return this.#left >= 0;
  }
}

function tooLong(advice: string): AppError {
  const message = `The answer has more than ${STATE_ANSWER_BYTES_MAX} bytes: ${advice}`;
  return new AppError("LIMIT_EXCEEDED", message);
}
