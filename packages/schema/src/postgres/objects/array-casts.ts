import { isSign, isWord, type Token, tokensOf } from "../../sql/sql-tokens.js";

/**
 * An expression in the form that PostgreSQL prints after it has parsed its own output once.
 * PostgreSQL prints the list of `status IN ('a', 'b')`, where `status` is a varchar, as
 * `(ARRAY['a'::character varying, …])::text[]`. It parses that text as `ARRAY[('a'::character
 * varying)::text, …]`. Without this normalization, a copy of a table would differ from the table.
 */
export function castElements(sql: string): string {
  if (!sql.includes("(ARRAY[")) return sql;
  const tokens = tokensOf(sql, "postgres");
  let text = "";
  let from = 0;
  for (let at = 0; at < tokens.length; at++) {
    const cast = castAt(tokens, at);
    if (cast === undefined) continue;
    text += sql.slice(from, tokens[at]?.start) + elementsCast(sql, cast);
    at = cast.last;
    from = endOf(tokens[at]);
  }
  return text + sql.slice(from);
}

/** A cast of an array as a whole: `(ARRAY[…])::type[]`. */
interface ArrayCast {
  /** The tokens between the brackets. */
  readonly inside: readonly Token[];
  /** The tokens of the element type. */
  readonly type: readonly Token[];
  /** Index of the last token. */
  readonly last: number;
}

function castAt(tokens: readonly Token[], at: number): ArrayCast | undefined {
  if (!isSign(tokens[at], "(") || !isArray(tokens, at + 1)) return undefined;
  const close = closingOf(tokens, at + 2);
  if (!isSign(tokens[close + 1], ")") || !isSign(tokens[close + 2], "::")) return undefined;
  const begin = close + 3;
  let end = begin;
  while (isOfType(tokens[end])) {
    end = isSign(tokens[end], "(") ? closingOf(tokens, end) + 1 : end + 1;
  }
  if (end === begin || !isSign(tokens[end], "[") || !isSign(tokens[end + 1], "]")) return undefined;
  const inside = tokens.slice(at + 3, close);
  if (inside.length === 0) return undefined;
  return { inside, type: tokens.slice(begin, end), last: end + 1 };
}

function isOfType(token: Token | undefined): boolean {
  return token?.type === "word" || token?.type === "name" || isOneOf(token, ".", "(");
}

function isOneOf(token: Token | undefined, ...signs: readonly string[]): boolean {
  return signs.some((sign) => isSign(token, sign));
}

function isArray(tokens: readonly Token[], at: number): boolean {
  return isWord(tokens[at], "ARRAY") && isSign(tokens[at + 1], "[");
}

/** Index of the token that closes the bracket or parenthesis at `open`. */
function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isOneOf(tokens[at], "(", "[")) depth += 1;
    if (isOneOf(tokens[at], ")", "]")) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

function elementsCast(sql: string, { inside, type }: Omit<ArrayCast, "last">): string {
  const elements = elementsOf(inside).map((element) => {
    if (isArray(element, 0)) return elementsCast(sql, { inside: element.slice(2, -1), type });
    return `(${castElements(textOf(sql, element))})::${textOf(sql, type)}`;
  });
  return `ARRAY[${elements.join(", ")}]`;
}

function elementsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const elements: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (isOneOf(token, "(", "[")) depth += 1;
    if (isOneOf(token, ")", "]")) depth -= 1;
    if (depth === 0 && isSign(token, ",")) elements.push([]);
    else elements.at(-1)?.push(token);
  }
  return elements;
}

function textOf(sql: string, tokens: readonly Token[]): string {
  return sql.slice(tokens[0]?.start, endOf(tokens.at(-1)));
}

function endOf(token: Token | undefined): number {
  return token === undefined ? 0 : token.start + token.text.length;
}
