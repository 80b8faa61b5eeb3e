import { type Scan, scanPostgres, scanSqlite } from "./scan.js";

/**
 * Type of a token:
 * - `word`: a keyword or a plain name; `name`: a quoted name; `number`; `sign`: an operator or a
 *   punctuation mark; `parameter`: a bind parameter;
 * - `string`: a '…' literal; `escape_string`: PostgreSQL's E'…', where a backslash escapes;
 *   `dollar_string`: PostgreSQL's $tag$…$tag$, where nothing is escaped;
 * - `opaque_string`: a literal whose content is no plain text: X'…', B'…', N'…', U&'…', and one
 *   that PostgreSQL continues on the next line;
 * - `comment`, `blank`: ignored by the engine;
 * - `markup`: a part that belongs to the caller's template language.
 */
export type TokenType =
  | "word"
  | "name"
  | "number"
  | "sign"
  | "parameter"
  | "string"
  | "escape_string"
  | "dollar_string"
  | "opaque_string"
  | "comment"
  | "blank"
  | "markup";

export interface Token {
  readonly type: TokenType;
  /** The token's source text. */
  readonly text: string;
  /** The name without quotes; for other tokens the source text. */
  readonly value: string;
  /** Start position in the text, in UTF-16 code units. */
  readonly start: number;
  /** False for an unterminated quote, comment or markup, which extends to the end of the text. */
  readonly isClosed: boolean;
}

/** The SQL dialect to tokenize. */
export type TokenDialect = "sqlite" | "postgres";

/** The template language of a text that is not SQL alone. */
export interface TemplateText {
  readonly dialect: TokenDialect;
  /** Two characters that begin a markup in code, where the dialect has no use for them. */
  readonly markupStart: string;
  /** The end of the markup at a position; undefined for one that is not closed. */
  readonly markupEnd: (text: string, at: number) => number | undefined;
}

/**
 * Splits SQL of SQLite or PostgreSQL into tokens, without white space and without parsing it. The
 * tokens must match the engine's own, because policies judge a statement by its tokens before it is
 * run: the rules are those of SQLite's tokenize.c and of PostgreSQL's scan.l with
 * standard_conforming_strings, its default. Takes linear time for any text.
 */
export function tokensOf(sql: string, dialect: TokenDialect = "sqlite"): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    const token = nextToken(sql, at, dialect);
    if (token === undefined) return tokens;
    tokens.push(token);
    at = token.start + token.text.length;
  }
}

/** The token at a position, after white space; undefined at the end. */
export function nextToken(sql: string, at: number, dialect: TokenDialect): Token | undefined {
  const scan = dialect === "sqlite" ? scanSqlite : scanPostgres;
  for (let start = at; start < sql.length;) {
    const token = tokenAt(sql, start, scan(sql, start));
    if (token.type !== "blank") return token;
    start += token.text.length;
  }
  return undefined;
}

/** The tokens of a template with its white space: their concatenation is the text. */
export function templateTokens(text: string, template: TemplateText): readonly Token[] {
  const { dialect, markupStart, markupEnd } = template;
  const scan = dialect === "sqlite" ? scanSqlite : scanPostgres;
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const scanned: Scan = text.startsWith(markupStart, at)
      ? { type: "markup", end: markupEnd(text, at) }
      : scan(text, at);
    tokens.push(tokenAt(text, at, scanned));
    at = scanned.end ?? text.length;
  }
  return tokens;
}

function tokenAt(sql: string, start: number, { type, end }: Scan): Token {
  const text = sql.slice(start, end);
  const isClosed = end !== undefined;
  return { type, text, value: type === "name" && isClosed ? unquote(text) : text, start, isClosed };
}

function unquote(text: string): string {
  const quote = text.charAt(0);
  const inner = text.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}

const LITERALS: ReadonlySet<TokenType> = new Set([
  ...(["number", "string", "escape_string", "dollar_string", "opaque_string"] as const),
]);

/** Whether the token is a literal, or the beginning of one that is not closed. */
export function isLiteral({ type, isClosed }: Token): boolean {
  return LITERALS.has(type) || !isClosed;
}

/** Whether the token is one of these words, unquoted and in any case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.type === "word" && words.includes(token.text.toUpperCase());
}

/** Whether the token is this sign. */
export function isSign(token: Token | undefined, sign: string): boolean {
  return token?.type === "sign" && token.text === sign;
}
