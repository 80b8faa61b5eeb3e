import type { OutputRef } from "./compiled-statement.js";
import {
  badPlaceholder,
  findPlaceholder,
  misplacedPlaceholder,
  markupEnd,
  parsePlaceholder,
} from "./placeholder.js";
import type { Token } from "@steward/schema/sql";

/** A part of a string literal: a constant part as a literal of its own, or a placeholder. */
export type LiteralPart =
  | { readonly kind: "literal"; readonly sql: string }
  | { readonly kind: "placeholder"; readonly ref: OutputRef };

/**
 * Splits a string literal at its placeholders. @returns `undefined` when there are none.
 * @throws AppError `BAD_PLACEHOLDER` when one is malformed or the literal cannot be split.
 */
export function cutLiteral(token: Token): readonly LiteralPart[] | undefined {
  const escapes = token.type === "escape_string";
  // Escaped braces open no placeholder, so escape sequences are masked before the search.
  const searched = escapes ? token.text.replaceAll(/\\[^]/g, "\0\0") : token.text;
  const start = findPlaceholder(searched);
  if (start === undefined) return undefined;
  if (!token.isClosed) {
    throw misplacedPlaceholder(token.text, start, "stands in a literal that is never closed");
  }
  if (token.type === "opaque_string") {
    throw misplacedPlaceholder(
      token.text,
      start,
      "stands in a literal that cannot contain a parameter: write it as a plain '…' literal",
    );
  }
  return cut(token.text, searched, quotingOf(token));
}

/** The syntax of a kind of literal. */
interface Quoting {
  /** Length of the opening and of the closing delimiter, in characters. */
  readonly openingLength: number;
  readonly closingLength: number;
  /** Makes a complete literal of a part of the content. */
  readonly quote: (content: string) => string;
  /** A placeholder's text without the literal's escapes. */
  readonly unquote: (markup: string) => string;
}

function quotingOf({ type, text }: Token): Quoting {
  switch (type) {
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

/**
 * Parts become plain literals, because a part that ends in `$` would merge with a following dollar
 * quote.
 */
const DOLLAR = {
  quote: (content: string) => `'${content.replaceAll("'", "''")}'`,
  unquote: (markup: string) => markup,
};

function unescaped(markup: string): string {
  if (markup.includes("\\")) {
    throw badPlaceholder(markup, "holds a backslash, which an E'…' literal reads as an escape");
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
