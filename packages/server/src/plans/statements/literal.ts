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
  return cut(token.text, searched, quotingOf(token));
}

/** How a kind of literal is written. */
interface Quoting {
  /** Characters of what opens the literal, and of what closes it. */
  readonly openingLength: number;
  readonly closingLength: number;
  /** A literal of its own for a part of the content, as it stands in the whole one. */
  readonly quote: (content: string) => string;
  /** A placeholder as it is written outside a literal. */
  readonly unquote: (markup: string) => string;
}

function quotingOf({ kind, text }: SqlToken): Quoting {
  switch (kind) {
    case "escape_string":
      return {
        ...PLAIN,
        openingLength: 2,
        quote: (content) => `E'${content}'`,
        unquote: unescaped,
      };
    case "dollar_string": {
      const tagLength = text.indexOf("$", 1) + 1;
      return { ...DOLLAR, openingLength: tagLength, closingLength: tagLength };
    }
    default:
      return PLAIN;
  }
}

const PLAIN: Quoting = {
  openingLength: 1,
  closingLength: 1,
  quote: (content) => `'${content}'`,
  unquote: (markup) => markup.replaceAll("''", "'"),
};

/** Parts become plain literals: one that ends in `$` would run into a dollar quote behind it. */
const DOLLAR = {
  quote: (content: string) => `'${content.replaceAll("'", "''")}'`,
  unquote: (markup: string) => markup,
};

function unescaped(markup: string): string {
  if (markup.includes("\\")) {
    throw badPlaceholder(markup, "holds a backslash, which an E'…' literal takes for itself");
  }
  return PLAIN.unquote(markup);
}

function cut(literal: string, searched: string, quoting: Quoting): readonly LiteralPart[] {
  const parts: LiteralPart[] = [];
  const contentEnd = literal.length - quoting.closingLength;
  let from = quoting.openingLength;
  const addLiteral = (to: number): void => {
    if (to > from) parts.push({ kind: "literal", sql: quoting.quote(literal.slice(from, to)) });
  };
  for (let start = findPlaceholder(searched); start !== undefined;) {
    const end = markupEnd(literal, start) ?? contentEnd;
    addLiteral(start);
    const markup = quoting.unquote(literal.slice(start, end));
    parts.push({ kind: "placeholder", ref: parsePlaceholder(markup) });
    from = end;
    start = findPlaceholder(searched, end);
  }
  addLiteral(contentEnd);
  return parts;
}
