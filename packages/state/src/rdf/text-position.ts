import { AppError } from "@steward/kernel/errors.js";

/** A position in a text: line and column from 1, the column in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The position of an offset. */
export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** The offset of a position; the text's end when there is no such line. */
export function offsetOf(text: string, { line, column }: TextPosition): number {
  let start = 0;
  for (let left = line; left > 1; left--) {
    const newline = text.indexOf("\n", start);
    if (newline === -1) return text.length;
    start = newline + 1;
  }
  return start + column - 1;
}

/** The error for malformed RDF, with its position. */
export function malformed(reason: string, at: TextPosition | undefined, cause?: unknown): AppError {
  const place = at === undefined ? "" : `line ${at.line}, column ${at.column}: `;
  const told = `${place}${reason}`;
  return new AppError("INVALID_ARGUMENT", `content: ${told}`, {
    details: [{ field: "content", reason: told }],
    cause,
  });
}
