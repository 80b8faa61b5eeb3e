import { AppError } from "@steward/kernel/errors.js";
import { DEFINITION_LENGTH_MAX } from "../limits.js";
import type { Dialect } from "../model/schema.js";
import { isSign, isWord, nextToken, type Token } from "../sql/sql-tokens.js";

/** A statement or a client command in an SQL text. */
export interface Piece {
  /** A statement, or a command of the client program: `\connect`, `.mode`. */
  readonly is: "statement" | "command";
  /** The text from the first to the last word, without the semicolon. */
  readonly text: string;
  /**
   * The tokens, with all comments inside the statement. Of the comments before it, only rename
   * hints are included.
   */
  readonly tokens: readonly Token[];
  /** The line of the first word, counted from 1. */
  readonly line: number;
}

/** Tokens between two pauses. */
const TOKENS_AT_ONCE = 4096;
/** Begins a rename hint, the only kind of comment with a meaning, or a misspelt one. */
const HINT = /(?<!\w)@renam|(?<!\w)renamed?[\s:]+from\s*=/i;

/**
 * Splits a text into statements, as psql and the sqlite3 program do. Statements are read lazily, so
 * that the first refused statement is also the first one in the text.
 * @returns the pieces, with undefined in between as points where the caller may yield the event
 * loop.
 * @throws AppError `INVALID_ARGUMENT` for an unterminated quote; `LIMIT_EXCEEDED`.
 */
export function* piecesOf(sql: string, dialect: Dialect): Generator<Piece | undefined> {
  const lines = new LineCounter(sql);
  let semicolonAt = -1;
  let statement = new OpenStatement(dialect);
  let count = 0;
  for (let at = sql.startsWith("\ufeff") ? 1 : 0; ;) {
    const token = nextToken(sql, at, dialect);
    if (token === undefined) break;
    if (++count % TOKENS_AT_ONCE === 0) yield undefined;
    at = token.start + token.text.length;
    if (!token.isClosed) throw neverClosed(token, lines.lineAt(token.start));
    if (isHint(token) && isOnLineOf(sql, semicolonAt, token)) {
      throw behindStatement(token, lines.lineAt(token.start));
    }
    if (statement.isCommand(token)) {
      const end = endOfLine(sql, token.start);
      const text = sql.slice(token.start, end).trimEnd();
      yield { is: "command", text, tokens: [token], line: lines.lineAt(token.start) };
      at = end;
    } else if (statement.isEndedBy(token)) {
      semicolonAt = token.start;
      const piece = statement.piece(sql);
      if (piece === undefined) continue;
      yield piece;
      statement = new OpenStatement(dialect);
    } else {
      statement.add(token, lines);
    }
  }
  const last = statement.piece(sql);
  if (last !== undefined) yield last;
  else if (statement.hint !== undefined) {
    throw behindStatement(statement.hint, lines.lineAt(statement.hint.start));
  }
}

/** Whether a comment is a rename hint, or was meant to be one. */
export function isHint({ type, text }: Token): boolean {
  return type === "comment" && HINT.test(text);
}

/** Whether only white space of the same line separates a semicolon from a token after it. */
function isOnLineOf(sql: string, semicolonAt: number, { start }: Token): boolean {
  return semicolonAt >= 0 && /^;[ \t]*$/.test(sql.slice(semicolonAt, start));
}

function behindStatement({ text }: Token, line: number): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `line ${String(line)}: the rename hint stands behind the end of its statement, and so belongs to none: ` +
      `write it before the semicolon: ${shown(text)}`,
  );
}

/** A statement whose end has not been found yet. */
class OpenStatement {
  readonly #dialect: Dialect;
  readonly #tokens: Token[] = [];
  /** The first words, which tell whether the statement contains other statements. */
  readonly #head: Token[] = [];
  #hasBody = false;
  #line = 0;
  /** End of the last word. */
  #end = 0;
  /** Nesting depth of BEGIN … END and CASE … END in a stored body. */
  #bodyDepth = 0;
  /** Nesting depth of parentheses. PostgreSQL's rules contain statements in parentheses. */
  #parenthesisDepth = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** A rename hint, if the statement consists of nothing else. */
  get hint(): Token | undefined {
    return this.#head.length === 0 ? this.#tokens[0] : undefined;
  }

  /** Whether a client command begins at this token. */
  isCommand(token: Token): boolean {
    if (this.#dialect === "postgres") return isSign(token, "\\");
    return this.#head.length === 0 && isSign(token, ".");
  }

  isEndedBy(token: Token): boolean {
    return isSign(token, ";") && this.#bodyDepth === 0 && this.#parenthesisDepth === 0;
  }

  /** @throws AppError `LIMIT_EXCEEDED`. */
  add(token: Token, lines: LineCounter): void {
    if (token.type !== "comment") this.#addWord(token, lines);
    else if (this.#head.length > 0 || isHint(token)) this.#tokens.push(token);
    const [first] = this.#head;
    const end = token.start + token.text.length;
    if (first === undefined || end - first.start <= DEFINITION_LENGTH_MAX) return;
    throw new AppError(
      "LIMIT_EXCEEDED",
      `line ${String(this.#line)}: one statement of a schema has ${String(DEFINITION_LENGTH_MAX)} characters at most; split it, or leave it out if it is no definition`,
    );
  }

  #addWord(token: Token, lines: LineCounter): void {
    this.#tokens.push(token);
    this.#end = token.start + token.text.length;
    if (this.#head.length === 0) this.#line = lines.lineAt(token.start);
    if (this.#head.length < HEAD_WORDS) {
      this.#head.push(token);
      this.#hasBody = hasBody(this.#head);
    }
    if (this.#dialect === "postgres") {
      if (isSign(token, "(")) this.#parenthesisDepth += 1;
      if (isSign(token, ")")) this.#parenthesisDepth = Math.max(0, this.#parenthesisDepth - 1);
    }
    // A parameter of PostgreSQL may be called `begin`. A body is never in parentheses.
    const isInBody = this.#dialect === "sqlite" || this.#parenthesisDepth === 0;
    if (this.#hasBody && isInBody) this.#bodyDepth = bodyDepthAfter(token, this.#bodyDepth);
  }

  /** The statement read so far; undefined when it is empty. */
  piece(sql: string): Piece | undefined {
    const [first] = this.#head;
    if (first === undefined) return undefined;
    const text = sql.slice(first.start, this.#end);
    return { is: "statement", text, tokens: this.#tokens, line: this.#line };
  }
}

/**
 * Words that identify what a statement creates: `CREATE OR REPLACE FUNCTION`, `CREATE TEMP
 * TRIGGER`.
 */
const HEAD_WORDS = 4;

function hasBody(head: readonly Token[]): boolean {
  return (
    isWord(head[0], "CREATE") &&
    head.some((word) => isWord(word, "TRIGGER", "FUNCTION", "PROCEDURE"))
  );
}

function bodyDepthAfter(token: Token, depth: number): number {
  if (isWord(token, "BEGIN") || (depth > 0 && isWord(token, "CASE"))) return depth + 1;
  return isWord(token, "END") ? Math.max(0, depth - 1) : depth;
}

/** Converts ascending positions to line numbers. */
class LineCounter {
  readonly #sql: string;
  #line = 1;
  #next: number;

  constructor(sql: string) {
    this.#sql = sql;
    this.#next = sql.indexOf("\n");
  }

  lineAt(place: number): number {
    while (this.#next >= 0 && this.#next < place) {
      this.#line += 1;
      this.#next = this.#sql.indexOf("\n", this.#next + 1);
    }
    return this.#line;
  }
}

function endOfLine(sql: string, from: number): number {
  const end = sql.indexOf("\n", from);
  return end < 0 ? sql.length : end;
}

/** Characters of a statement shown in an error. */
const SHOWN_LENGTH_MAX = 200;

/** A statement as shown in an error: on one line, truncated. */
export function shown(text: string): string {
  const start = text.slice(0, SHOWN_LENGTH_MAX).replaceAll(/\s+/g, " ").trim();
  return text.length > SHOWN_LENGTH_MAX ? `${start}…` : start;
}

function neverClosed({ text }: Token, line: number): AppError {
  const what = text.startsWith("/*") ? "comment" : "quote";
  return new AppError(
    "INVALID_ARGUMENT",
    `line ${String(line)}: the ${what} that begins here is never closed: ${shown(text)}`,
  );
}
