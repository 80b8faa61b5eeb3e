import type { TokenType } from "./sql-tokens.js";

/** The type of the token at a position, and its end; `undefined` when the token is not closed. */
export interface Scan {
  readonly type: TokenType;
  readonly end: number | undefined;
}

/** ASCII white space only: both engines treat a no-break space as a letter of a name. */
const BLANKS = /[ \t\n\v\f\r]+/y;
const WORD = /[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SIGN_OF_SQLITE = /\|\||->>|->|<<|>>|<=|>=|<>|!=|==|[^]/y;
const SIGN_OF_POSTGRES = /\|\||->>|->|::|:=|<<|>>|<=|>=|<>|!=|==|[^]/y;
/** The end of a line comment. PostgreSQL ends it at a carriage return, SQLite does not. */
const LINE_OF_SQLITE = /--[^\n]*/y;
const LINE_OF_POSTGRES = /--[^\n\r]*/y;
const PARAMETER_OF_SQLITE = /\?\d*|[:@$#][\w$\x80-\uffff]+/y;
const PARAMETER_OF_POSTGRES = /\$\d+/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$/y;

/** The token of SQLite at a position before the end. */
export function scanSqlite(sql: string, at: number): Scan {
  const first = sql.charAt(at);
  switch (first) {
    case "'":
      return { type: "string", end: endOfQuoted(sql, at + 1, "'") };
    case '"':
    case "`":
      return { type: "name", end: endOfQuoted(sql, at + 1, first) };
    case "[":
      return { type: "name", end: endAfter("]", sql, at + 1) };
    case "-":
      if (sql.startsWith("--", at)) return { type: "comment", end: endOf(LINE_OF_SQLITE, sql, at) };
      break;
    case "/":
      if (sql.startsWith("/*", at)) {
        // The end of the text also ends a comment.
        return { type: "comment", end: endAfter("*/", sql, at + 2) ?? sql.length };
      }
      break;
    case "x":
    case "X":
      if (sql.charAt(at + 1) === "'") {
        return { type: "opaque_string", end: endOfQuoted(sql, at + 2, "'") };
      }
      break;
    case "?":
    case ":":
    case "@":
    case "$":
    case "#": {
      const end = endOf(PARAMETER_OF_SQLITE, sql, at);
      if (end !== undefined) return { type: "parameter", end };
      break;
    }
  }
  return scanCommon(sql, at, SIGN_OF_SQLITE);
}

/** The token of PostgreSQL at a position before the end. */
export function scanPostgres(sql: string, at: number): Scan {
  switch (sql.charAt(at)) {
    case "'":
      return scanLiteral("string", sql, at + 1);
    case '"':
      return { type: "name", end: endOfQuoted(sql, at + 1, '"') };
    case "-":
      if (sql.startsWith("--", at)) {
        return { type: "comment", end: endOf(LINE_OF_POSTGRES, sql, at) };
      }
      break;
    case "/":
      if (sql.startsWith("/*", at)) return { type: "comment", end: endOfNestedComment(sql, at) };
      break;
    case "e":
    case "E":
      if (sql.charAt(at + 1) === "'") return scanLiteral("escape_string", sql, at + 2);
      break;
    case "b":
    case "B":
    case "n":
    case "N":
    case "x":
    case "X":
      if (sql.charAt(at + 1) === "'") return scanLiteral("opaque_string", sql, at + 2);
      break;
    case "u":
    case "U":
      if (sql.startsWith("&'", at + 1)) return scanLiteral("opaque_string", sql, at + 3);
      break;
    case "$": {
      const parameterEnd = endOf(PARAMETER_OF_POSTGRES, sql, at);
      if (parameterEnd !== undefined) return { type: "parameter", end: parameterEnd };
      const bodyStart = endOf(DOLLAR_QUOTE, sql, at);
      if (bodyStart === undefined) break;
      return { type: "dollar_string", end: endAfter(sql.slice(at, bodyStart), sql, bodyStart) };
    }
  }
  return scanCommon(sql, at, SIGN_OF_POSTGRES);
}

function scanCommon(sql: string, at: number, sign: RegExp): Scan {
  switch (sql.charAt(at)) {
    case " ":
    case "\t":
    case "\n":
    case "\v":
    case "\f":
    case "\r":
      return { type: "blank", end: endOf(BLANKS, sql, at) };
    case "(":
    case ")":
    case ",":
    case ";":
      return { type: "sign", end: at + 1 };
  }
  const wordEnd = endOf(WORD, sql, at);
  if (wordEnd !== undefined) return { type: "word", end: wordEnd };
  const numberEnd = endOf(NUMBER, sql, at);
  if (numberEnd !== undefined) return { type: "number", end: numberEnd };
  return { type: "sign", end: endOf(sign, sql, at) };
}

/**
 * A literal of PostgreSQL with all its continuations: literals on the following lines, which belong
 * to the first one and have its kind of escapes.
 * @param from the position after its opening quote.
 */
function scanLiteral(
  type: "string" | "escape_string" | "opaque_string",
  sql: string,
  from: number,
): Scan {
  const endOfPart = (partFrom: number): number | undefined =>
    type === "escape_string" ? endOfEscaped(sql, partFrom) : endOfQuoted(sql, partFrom, "'");
  let end = endOfPart(from);
  let isContinued = false;
  while (end !== undefined) {
    const nextQuoteAt = continuationAt(sql, end);
    if (nextQuoteAt === undefined) break;
    end = endOfPart(nextQuoteAt + 1);
    isContinued = true;
  }
  return { type: isContinued ? "opaque_string" : type, end };
}

/**
 * The opening quote of a literal that continues one which ends at this position: only white space
 * and line comments separate them, with at least one end of a line.
 */
function continuationAt(sql: string, literalEnd: number): number | undefined {
  let isNextLine = false;
  for (let at = literalEnd; ;) {
    switch (sql.charAt(at)) {
      case "'":
        return isNextLine ? at : undefined;
      case "\n":
      case "\r":
        isNextLine = true;
        at += 1;
        break;
      case " ":
      case "\t":
      case "\v":
      case "\f":
        at += 1;
        break;
      case "-":
        if (!sql.startsWith("--", at)) return undefined;
        at = endOf(LINE_OF_POSTGRES, sql, at) ?? sql.length;
        break;
      default:
        return undefined;
    }
  }
}

/** PostgreSQL's block comments nest. */
function endOfNestedComment(sql: string, at: number): number | undefined {
  const border = /\/\*|\*\//g;
  border.lastIndex = at;
  let depth = 0;
  for (let found = border.exec(sql); found !== null; found = border.exec(sql)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return border.lastIndex;
  }
  return undefined;
}

/** The end after the closing quote, where a doubled quote stands for itself. */
function endOfQuoted(sql: string, from: number, quote: string): number | undefined {
  for (let at = from; ; at += 2) {
    at = sql.indexOf(quote, at);
    if (at < 0) return undefined;
    if (sql.charAt(at + 1) !== quote) return at + 1;
  }
}

/** The end after the closing quote of a string with backslash escapes. */
function endOfEscaped(sql: string, from: number): number | undefined {
  const border = /\\[^]|''|'/g;
  border.lastIndex = from;
  for (let found = border.exec(sql); found !== null; found = border.exec(sql)) {
    if (found[0] === "'") return border.lastIndex;
  }
  return undefined;
}

/** The end of a sticky pattern's match at this position. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endAfter(closing: string, text: string, from: number): number | undefined {
  const at = text.indexOf(closing, from);
  return at < 0 ? undefined : at + closing.length;
}
