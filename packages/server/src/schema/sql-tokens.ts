/**
 * What a token is. A name in quotes and a string are told apart by their quotes; `open` is a quote or a
 * comment that is never closed, with everything behind it.
 */
export type TokenType = "word" | "name" | "string" | "number" | "sign" | "comment" | "open";

/** One token of SQL. */
export interface Token {
  readonly type: TokenType;
  /** As it is written. */
  readonly text: string;
  /** A name without its quotes; otherwise as it is written. */
  readonly value: string;
  /** Where it begins in the text, in UTF-16 code units. */
  readonly start: number;
}

/** The engine whose SQL is read. */
export type TokenDialect = "sqlite" | "postgres";

/** Spaces are ASCII's only: to both engines a no-break space is a letter of a name. */
const SPACE = /[ \t\n\r\f\v]*/y;
const WORD = /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*/uy;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SIGN = /\|\||->>|->|::|:=|<<|>>|<=|>=|<>|!=|==|[\s\S]/uy;
/** A string that begins with letters: a bit string, a national or a Unicode one. */
const PREFIXED_STRING = /(?:[xXbBnN]|[uU]&)'/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*)?\$/uy;
/** Where PostgreSQL ends a comment of one line; SQLite goes on over a carriage return. */
const LINE_END = { postgres: /[\n\r]/g, sqlite: /\n/g } as const;

/**
 * Takes SQL apart, as SQLite and PostgreSQL write it, without understanding it. What a token is must be
 * what the engine takes it for: a statement is judged by its tokens before it is run. The time it takes
 * grows with the text, whatever stands in it.
 * @param dialect In SQLite, square brackets and back quotes quote a name.
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

/** The token at a place, or behind the spaces there; undefined at the end. */
export function nextToken(sql: string, at: number, dialect: TokenDialect): Token | undefined {
  const start = at + lengthOf(SPACE, sql, at);
  if (start >= sql.length) return undefined;
  const token = (type: TokenType, end: number): Token => {
    if (end < 0) {
      const rest = sql.slice(start);
      return { type: "open", text: rest, value: rest, start };
    }
    const text = sql.slice(start, end);
    return { type, text, value: type === "name" ? unquote(text) : text, start };
  };
  const [first, second] = [sql.charAt(start), sql.charAt(start + 1)];
  if (first === "-" && second === "-") return token("comment", endOfLine(sql, start, dialect));
  if (first === "/" && second === "*") return token("comment", endOfComment(sql, start, dialect));
  if (first === "'") return token("string", endOfQuoted(sql, start + 1, "'"));
  if (first === '"') return token("name", endOfQuoted(sql, start + 1, '"'));
  if (dialect === "sqlite" && first === "`") return token("name", endOfQuoted(sql, start + 1, "`"));
  if (dialect === "sqlite" && first === "[") {
    return token("name", endAfter(sql, "]", start));
  }
  const prefix = lengthOf(PREFIXED_STRING, sql, start);
  if (prefix > 0) return token("string", endOfQuoted(sql, start + prefix, "'"));
  if (dialect === "postgres") {
    if (/[eE]/.test(first) && second === "'") return token("string", endOfEscaped(sql, start + 2));
    const tag = lengthOf(DOLLAR_TAG, sql, start);
    if (tag > 0) {
      return token("string", endAfter(sql, sql.slice(start, start + tag), start + tag));
    }
  }
  const word = lengthOf(WORD, sql, start);
  if (word > 0) return token("word", start + word);
  const number = lengthOf(NUMBER, sql, start);
  if (number > 0) return token("number", start + number);
  return token("sign", start + lengthOf(SIGN, sql, start));
}

/** How much of the text a sticky pattern matches at a place. */
function lengthOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex - at : 0;
}

function endOfLine(sql: string, start: number, dialect: TokenDialect): number {
  const pattern = LINE_END[dialect];
  pattern.lastIndex = start;
  return pattern.exec(sql)?.index ?? sql.length;
}

/** In PostgreSQL comments hold comments; in SQLite the end of the text ends one too. */
function endOfComment(sql: string, start: number, dialect: TokenDialect): number {
  if (dialect === "sqlite") {
    const end = endAfter(sql, "*/", start + 2);
    return end < 0 ? sql.length : end;
  }
  const border = /\/\*|\*\//g;
  border.lastIndex = start + 2;
  for (let depth = 1; depth > 0;) {
    const found = border.exec(sql);
    if (found === null) return -1;
    depth += found[0] === "/*" ? 1 : -1;
  }
  return border.lastIndex;
}

/** The end of what is quoted, where the quote itself is written twice; -1 when there is none. */
function endOfQuoted(sql: string, from: number, quote: string): number {
  for (let at = from; ; at += 2) {
    at = sql.indexOf(quote, at);
    if (at < 0) return -1;
    if (sql.charAt(at + 1) !== quote) return at + 1;
  }
}

/** The end of a string in which a backslash escapes what follows it. */
function endOfEscaped(sql: string, from: number): number {
  const border = /\\[\s\S]|''|'/g;
  border.lastIndex = from;
  for (let found = border.exec(sql); found !== null; found = border.exec(sql)) {
    if (found[0] === "'") return border.lastIndex;
  }
  return -1;
}

function endAfter(sql: string, end: string, from: number): number {
  const at = sql.indexOf(end, from);
  return at < 0 ? -1 : at + end.length;
}

function unquote(text: string): string {
  const quote = text.charAt(0);
  const inner = text.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}

/** Whether the token is this word, not in quotes, however it is spelled. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.type === "word" && words.includes(token.text.toUpperCase());
}

/** Whether the token is this sign. */
export function isSign(token: Token | undefined, sign: string): boolean {
  return token?.type === "sign" && token.text === sign;
}
