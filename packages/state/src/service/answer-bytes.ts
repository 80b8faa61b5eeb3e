import { AppError } from "@steward/kernel/errors.js";
import { jsonSize } from "@steward/kernel/json-size.js";
import { STATE_ANSWER_BYTES_MAX } from "../limits.js";
import type { JsonBindings } from "../ports.js";
import { jsonQuad } from "../terms/json-term.js";
import type { Quad } from "../terms/term.js";

/**
 * Counts an answer's bytes of JSON while a search collects it. The limits of rows and quads do not
 * limit its size, because a row may have many variables and a literal may be long.
 */
export class AnswerBytes {
  #left = STATE_ANSWER_BYTES_MAX;

  /** Counts a solution. @throws AppError `LIMIT_EXCEEDED` when it does not fit. */
  addRow(row: JsonBindings): void {
    if (!this.add(row)) throw answerTooLong("lower the limit, or use fewer variables");
  }

  /**
   * Counts a quad of a page.
   * @returns whether it fits; the page ends before a quad that does not.
   * @throws AppError `LIMIT_EXCEEDED` when it is the page's first quad and does not fit, because an
   * empty page would look like the last one.
   */
  addQuad(quad: Quad): boolean {
    const isFirst = this.#left === STATE_ANSWER_BYTES_MAX;
    const fits = this.add(jsonQuad(quad));
    if (!fits && isFirst)
      throw answerTooLong("a single quad is that long; export the dataset instead");
    return fits;
  }

  /** Counts any other part of an answer. @returns whether it fits; nothing that comes after one that does not fits either. */
  add(part: unknown): boolean {
    // The text of a part that is far too long is not made.
    const fits = this.#left >= 0 && jsonSize(part, this.#left) <= this.#left;
    this.#left -= fits ? Buffer.byteLength(JSON.stringify(part)) + 1 : Infinity;
    return this.#left >= 0;
  }
}

/** The error of an answer that cannot be cut. @param advice how to ask for less. */
export function answerTooLong(advice: string): AppError {
  const message = `The answer has more than ${STATE_ANSWER_BYTES_MAX} bytes: ${advice}`;
  return new AppError("LIMIT_EXCEEDED", message);
}
