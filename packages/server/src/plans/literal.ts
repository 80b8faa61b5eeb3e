import type { OutputRef } from "./compiled-statement.js";
import {
  badPlaceholder,
  findPlaceholder,
  misplacedPlaceholder,
  markupEnd,
  parsePlaceholder,
} from "./placeholder.js";
import type { SqlToken } from "./sql-text.js";

/** A part of a string literal: a literal of its own, or a placeholder between two of them. */
export type LiteralPart =
  | { readonly kind: "literal"; readonly sql: string }
  | { readonly kind: "placeholder"; readonly ref: OutputRef };

/**
 * Cuts a string literal around the placeholders in it. @returns `undefined` when there are none.
 * @throws AppError `BAD_PLACEHOLDER` when one is malformed or the literal cannot be cut.
 */
export function cutLiteral(token: SqlToken): readonly LiteralPart[] | undefined {
  const escapes = token.kind === "escape_string";
  // Braces behind a backslash open nothing: what is escaped is made unrecognizable first.
  const searched = escapes ? token.text.replaceAll(/\\[^]/g, "\0\0") : token.text;
  const start = findPlaceholder(searched);
  if (start === undefined) return undefined;
  if (!token.closed) {
    throw misplacedPlaceholder(token.text, start, "stands in a literal that is never closed");
  }
  if (token.kind === "opaque_string") {
    throw misplacedPlaceholder(
      token.text,
      start,
      "stands in a literal that no value can be put into: write it as a plain '…' literal",
    );
  }
  return cut(token.text, searched, escapes ? 2 : 1);
}

/** @param openingLength characters of what opens the literal: `'`, or `E'`. */
function cut(literal: string, searched: string, openingLength: number): readonly LiteralPart[] {
  const opening = literal.slice(0, openingLength);
  const parts: LiteralPart[] = [];
  const contentEnd = literal.length - 1;
  let from = openingLength;
  const addLiteral = (to: number): void => {
    if (to > from) parts.push({ kind: "literal", sql: `${opening}${literal.slice(from, to)}'` });
  };
  for (let start = findPlaceholder(searched); start !== undefined;) {
    const end = markupEnd(literal, start) ?? contentEnd;
    addLiteral(start);
    parts.push({ kind: "placeholder", ref: parseInLiteral(literal.slice(start, end), opening) });
    from = end;
    start = findPlaceholder(searched, end);
  }
  addLiteral(contentEnd);
  return parts;
}

function parseInLiteral(markup: string, opening: string): OutputRef {
  if (opening !== "'" && markup.includes("\\")) {
    throw badPlaceholder(markup, "holds a backslash, which an E'…' literal takes for itself");
  }
  return parsePlaceholder(markup.replaceAll("''", "'"));
}
