import { AppError } from "../../kernel/errors.js";
import { DEFINITION_LENGTH_MAX } from "../../kernel/limits.js";
import type { Dialect } from "../schema.js";
import { isSign, isWord, nextToken, type Token } from "../sql-tokens.js";

/** A piece of a text of SQL. */
export interface Piece {
  /** A statement, or a command of the program that would read the text: `\connect`, `.mode`. */
  readonly is: "statement" | "command";
  /** From its first word to its last, without the semicolon. */
  readonly text: string;
  /** Comments within it are there; of those before it, only the ones that hold a rename hint. */
  readonly tokens: readonly Token[];
  /** Where it begins, from 1. */
  readonly line: number;
}

/** Tokens between two chances for others to do something. */
const TOKENS_AT_ONCE = 4096;
/** The mark of a rename hint, the only comment that means something. */
const HINT = "@renamed";

/**
 * Takes a text apart into statements, as psql and the sqlite3 program do. What comes behind a statement is
 * read when it is asked for, so that the first one that is refused is the first one in the text.
 * @returns pieces, and undefined now and then: whoever reads a long text lets others run meanwhile.
 * @throws AppError `INVALID_ARGUMENT` for a quote that is never closed; `LIMIT_EXCEEDED`.
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
    if (token.type === "open") throw neverClosed(token, lines.lineAt(token.start));
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

function isHint({ type, text }: Token): boolean {
  return type === "comment" && text.includes(HINT);
}

/** Whether nothing but spaces of the same line is between a semicolon and a token behind it. */
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

/** A statement whose end is not found yet. */
class OpenStatement {
  readonly #dialect: Dialect;
  readonly #tokens: Token[] = [];
  /** The first words, which tell whether it holds other statements. */
  readonly #head: Token[] = [];
  #hasBody = false;
  #line = 0;
  /** Where the last word ends. */
  #end = 0;
  /** How deep in BEGIN … END and CASE … END of a stored body the statement is. */
  #bodyDepth = 0;
  /** How deep in parentheses: PostgreSQL's rules hold statements there. */
  #parenthesisDepth = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** A rename hint, when there is nothing else of the statement. */
  get hint(): Token | undefined {
    return this.#head.length === 0 ? this.#tokens[0] : undefined;
  }

  /** Whether a command of psql, or of the sqlite3 program, begins here. */
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
    if (this.#hasBody) this.#bodyDepth = bodyDepthAfter(token, this.#bodyDepth);
  }

  /** The statement as far as it goes; undefined when nothing of it is there. */
  piece(sql: string): Piece | undefined {
    const [first] = this.#head;
    if (first === undefined) return undefined;
    const text = sql.slice(first.start, this.#end);
    return { is: "statement", text, tokens: this.#tokens, line: this.#line };
  }
}

/** `CREATE OR REPLACE FUNCTION`, `CREATE TEMP TRIGGER`: as many words tell what a statement makes. */
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

/** Tells lines of places that only ever grow. */
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

/** Characters of a statement that an error shows. */
const SHOWN_LENGTH_MAX = 200;

/** A statement as an error shows it: on one line, and not the whole of a long one. */
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
