import type { Dialect } from "../../../../governance/index.js";
import { tokenize } from "../../../../plans/index.js";

/** A token of code with its place, in UTF-16 units; blanks and comments are left out. */
export interface Code {
  readonly kind: "word" | "name" | "number" | "text" | "symbol";
  readonly text: string;
  readonly lower: string;
  readonly at: number;
  readonly end: number;
  /** Parentheses around it. */
  readonly depth: number;
}

/** A statement in tokens. */
export interface Statement {
  readonly sql: string;
  readonly code: readonly Code[];
}

export function statementOf(sql: string, dialect: Dialect): Statement {
  const code: Code[] = [];
  let depth = 0;
  for (const { type, text, start } of tokenize(sql, dialect)) {
    if (type === "blank" || type === "comment") continue;
    if (text === ")") depth -= 1;
    const kind = type === "string" ? "text" : type;
    const known = kind === "word" || kind === "name" || kind === "number" || kind === "text";
    code.push({
      kind: known ? kind : "symbol",
      text,
      lower: text.toLowerCase(),
      at: start,
      end: start + text.length,
      depth,
    });
    if (text === "(") depth += 1;
  }
  return { sql, code };
}

/** The text from one token to another one, both included. */
export function textBetween({ sql, code }: Statement, from: number, to: number): string {
  return sql.slice(code[from]?.at, code[to]?.end);
}

/** The place of the parenthesis that closes this one; -1 when nothing closes it. */
export function closeOf({ code }: Statement, open: number): number {
  const depth = code[open]?.depth;
  return code.findIndex((token, at) => at > open && token.text === ")" && token.depth === depth);
}

/** The texts between the commas of a pair of parentheses. */
export function argumentsIn(statement: Statement, open: number, close: number): readonly string[] {
  const { code, sql } = statement;
  if (close === open + 1) return [];
  const inner = (code[open]?.depth ?? 0) + 1;
  const commas = code.flatMap(({ text, depth }, at) =>
    at > open && at < close && text === "," && depth === inner ? [at] : [],
  );
  const bounds = [open, ...commas, close];
  return bounds
    .slice(1)
    .map((end, index) => sql.slice(code[bounds[index] ?? 0]?.end, code[end]?.at).trim());
}

/** The first token of the operand that ends at a place: a literal, a path, a call or parentheses. */
export function operandStart(statement: Statement, last: number): number | undefined {
  const { code } = statement;
  let at = last;
  const token = code[at];
  if (token === undefined) return undefined;
  if (token.text === ")") {
    const open = code.findLastIndex(
      ({ text, depth }, index) => index < at && text === "(" && depth === token.depth,
    );
    if (open === -1) return undefined;
    at = open;
    if (!isPlainName(code[open - 1])) return at;
    at = open - 1;
  } else if (token.kind === "symbol") return undefined;
  while (code[at - 1]?.text === "." && code[at - 2] !== undefined) at -= 2;
  return at;
}

/** The last token of the operand that begins at a place. */
export function operandEnd(statement: Statement, first: number): number | undefined {
  const { code } = statement;
  let at = first;
  if (code[at]?.text === "(") return defined(closeOf(statement, at));
  if (code[at] === undefined || code[at]?.kind === "symbol") return undefined;
  while (code[at + 1]?.text === "." && code[at + 2] !== undefined) at += 2;
  return code[at + 1]?.text === "(" && code[at]?.kind !== "number"
    ? defined(closeOf(statement, at + 1))
    : at;
}

function defined(place: number): number | undefined {
  return place === -1 ? undefined : place;
}

/** Keywords that stand before a parenthesis without being the name of a function. */
const NO_CALL =
  /^(?:in|and|or|not|as|on|where|having|select|by|from|values|when|then|else|any|all|some|exists|between|like|union|join|using|over|case)$/;

export function isPlainName(token: Code | undefined): boolean {
  return token?.kind === "name" || (token?.kind === "word" && !NO_CALL.test(token.lower));
}
