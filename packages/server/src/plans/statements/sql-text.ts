import type { Dialect } from "../../governance/index.js";
import { markupEnd } from "./placeholder.js";

/**
 * The kind of a token of SQL text:
 * - `blank`, `comment`: ignored by the engine;
 * - `word`: a keyword, a plain name or a number; `symbol`: any other single character of code;
 * - `string`: a '…' literal; `escape_string`: PostgreSQL's E'…', where a backslash escapes;
 * - `dollar_string`: PostgreSQL's $tag$…$tag$, where nothing is escaped;
 * - `opaque_string`: a literal that cannot be split: X'…', B'…', N'…', U&'…', and one that
 *   PostgreSQL continues on the next line;
 * - `identifier`: a quoted name; `parameter`: a bind parameter; `markup`: {{…}} in code.
 */
type SqlTokenKind =
  | "blank"
  | "comment"
  | "word"
  | "symbol"
  | "string"
  | "escape_string"
  | "dollar_string"
  | "opaque_string"
  | "identifier"
  | "parameter"
  | "markup";

/** A token of SQL text. */
export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly text: string;
  /** False when the text ends before the token is closed. */
  readonly closed: boolean;
}

/**
 * Splits a text into tokens whose concatenation is the text. It only finds the boundaries of
 * strings, names and comments; whether the text is valid SQL is for the parser to decide. It
 * follows SQLite's tokenize.c and PostgreSQL's scan.l (with standard_conforming_strings on, the
 * default since 9.1).
 */
export function tokenize(sql: string, dialect: Dialect): readonly SqlToken[] {
  const scan = dialect === "sqlite" ? scanSqlite : scanPostgres;
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length;) {
    const { kind, end } = scan(sql, at);
    tokens.push({ kind, text: sql.slice(at, end), closed: end !== undefined });
    at = end ?? sql.length;
  }
  return tokens;
}

/** The kind of the token at a position, and its end; `undefined` when the token is not closed. */
interface Scan {
  readonly kind: SqlTokenKind;
  readonly end: number | undefined;
}

const BLANKS = /[ \t\n\v\f\r]+/y;
const WORD = /[\w\x80-\uffff][\w$\x80-\uffff]*/y;
const LINE_OF_SQLITE = /--[^\n]*/y;
const LINE_OF_POSTGRES = /--[^\n\r]*/y;
const SINGLE_QUOTED = /'[^']*(?:''[^']*)*'(?!')/y;
const SINGLE_QUOTED_WITH_ESCAPES = /'[^'\\]*(?:(?:''|\\[^])[^'\\]*)*'(?!')/y;
const DOUBLE_QUOTED = /"[^"]*(?:""[^"]*)*"(?!")/y;
const BACK_QUOTED = /`[^`]*(?:``[^`]*)*`(?!`)/y;
const BRACKETED = /\[[^\]]*\]/y;
const SQLITE_PARAMETER = /\?\d*|[:@$#][\w$\x80-\uffff]+/y;
const POSTGRES_PARAMETER = /\$\d+/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$/y;
/**
 * Separators between two literals that PostgreSQL joins into one: whitespace and line comments,
 * with at least one newline.
 */
const CONTINUATION = /[ \t\v\f]*(?:--[^\n\r]*)?[\n\r](?:[ \t\n\v\f\r]|--[^\n\r]*[\n\r])*(?=')/y;

function scanSqlite(sql: string, at: number): Scan {
  switch (sql.charAt(at)) {
    case "'":
      return { kind: "string", end: endOf(SINGLE_QUOTED, sql, at) };
    case '"':
      return { kind: "identifier", end: endOf(DOUBLE_QUOTED, sql, at) };
    case "`":
      return { kind: "identifier", end: endOf(BACK_QUOTED, sql, at) };
    case "[":
      return { kind: "identifier", end: endOf(BRACKETED, sql, at) };
    case "-":
      if (sql.startsWith("--", at)) return { kind: "comment", end: endOf(LINE_OF_SQLITE, sql, at) };
      break;
    case "/":
      if (sql.startsWith("/*", at)) return { kind: "comment", end: after("*/", sql, at + 2) };
      break;
    case "x":
    case "X":
      if (sql.charAt(at + 1) === "'") {
        return { kind: "opaque_string", end: endOf(SINGLE_QUOTED, sql, at + 1) };
      }
      break;
    case "?":
    case ":":
    case "@":
    case "$":
    case "#": {
      const end = endOf(SQLITE_PARAMETER, sql, at);
      if (end !== undefined) return { kind: "parameter", end };
      break;
    }
  }
  return scanCommon(sql, at);
}

function scanPostgres(sql: string, at: number): Scan {
  switch (sql.charAt(at)) {
    case "'":
      return scanLiteral("string", SINGLE_QUOTED, sql, at);
    case '"':
      return { kind: "identifier", end: endOf(DOUBLE_QUOTED, sql, at) };
    case "-":
      if (sql.startsWith("--", at)) {
        return { kind: "comment", end: endOf(LINE_OF_POSTGRES, sql, at) };
      }
      break;
    case "/":
      if (sql.startsWith("/*", at)) return { kind: "comment", end: endOfNestedComment(sql, at) };
      break;
    case "e":
    case "E":
      if (sql.charAt(at + 1) === "'") {
        return scanLiteral("escape_string", SINGLE_QUOTED_WITH_ESCAPES, sql, at + 1);
      }
      break;
    case "b":
    case "B":
    case "n":
    case "N":
    case "x":
    case "X":
      if (sql.charAt(at + 1) === "'") {
        return scanLiteral("opaque_string", SINGLE_QUOTED, sql, at + 1);
      }
      break;
    case "u":
    case "U":
      if (sql.startsWith("&'", at + 1)) {
        return scanLiteral("opaque_string", SINGLE_QUOTED, sql, at + 2);
      }
      break;
    case "$": {
      const parameterEnd = endOf(POSTGRES_PARAMETER, sql, at);
      if (parameterEnd !== undefined) return { kind: "parameter", end: parameterEnd };
      const bodyStart = endOf(DOLLAR_QUOTE, sql, at);
      if (bodyStart === undefined) break;
      return { kind: "dollar_string", end: after(sql.slice(at, bodyStart), sql, bodyStart) };
    }
  }
  return scanCommon(sql, at);
}

function scanCommon(sql: string, at: number): Scan {
  if (sql.startsWith("{{", at)) return { kind: "markup", end: markupEnd(sql, at) };
  const wordEnd = endOf(WORD, sql, at);
  if (wordEnd !== undefined) return { kind: "word", end: wordEnd };
  const blanksEnd = endOf(BLANKS, sql, at);
  if (blanksEnd !== undefined) return { kind: "blank", end: blanksEnd };
  return { kind: "symbol", end: at + 1 };
}

/** A literal of PostgreSQL with all its continuations. */
function scanLiteral(kind: SqlTokenKind, quoted: RegExp, sql: string, quoteAt: number): Scan {
  let end = endOf(quoted, sql, quoteAt);
  let continued = false;
  while (end !== undefined) {
    const nextQuoteAt = endOf(CONTINUATION, sql, end);
    if (nextQuoteAt === undefined) break;
    end = endOf(quoted, sql, nextQuoteAt);
    continued = true;
  }
  return { kind: continued ? "opaque_string" : kind, end };
}

function endOfNestedComment(sql: string, at: number): number | undefined {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at;
  let depth = 0;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return undefined;
}

/** The end of a sticky pattern's match at this position. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function after(closing: string, text: string, from: number): number | undefined {
  const at = text.indexOf(closing, from);
  return at < 0 ? undefined : at + closing.length;
}
