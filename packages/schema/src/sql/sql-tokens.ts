/**
 * Type of a token. Quoted names and strings are distinguished by their quotes. `open` is an
 * unterminated quote or comment, which extends to the end of the text.
 */
export type TokenType = "word" | "name" | "string" | "number" | "sign" | "comment" | "open";

export interface Token {
  readonly type: TokenType;
  /** The token's source text. */
  readonly text: string;
  /** The name without quotes; for other tokens the source text. */
  readonly value: string;
  /** Start position in the text, in UTF-16 code units. */
  readonly start: number;
}

/** The SQL dialect to tokenize. */
export type TokenDialect = "sqlite" | "postgres";

/** ASCII white space only: both engines treat a no-break space as a letter of a name. */
const SPACE = /[ \t\n\r\f\v]*/y;
const WORD = /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*/uy;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SIGN = /\|\||->>|->|::|:=|<<|>>|<=|>=|<>|!=|==|[\s\S]/uy;
/** A string with a prefix: a bit string, a national or a Unicode string. */
const PREFIXED_STRING = /(?:[xXbBnN]|[uU]&)'/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*)?\$/uy;
/** The end of a line comment. PostgreSQL ends it at a carriage return, SQLite does not. */
const LINE_END = { postgres: /[\n\r]/g, sqlite: /\n/g } as const;

/**
 * Splits SQL of SQLite or PostgreSQL into tokens, without parsing it. The tokens must match the
 * engine's own, because policies judge a statement by its tokens before it is run. Takes linear
 * time for any text.
 * @param dialect in SQLite, square brackets and back quotes also quote names.
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

/** Length of a sticky pattern's match at a position. */
function lengthOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex - at : 0;
}

function endOfLine(sql: string, start: number, dialect: TokenDialect): number {
  const pattern = LINE_END[dialect];
  pattern.lastIndex = start;
  return pattern.exec(sql)?.index ?? sql.length;
}

/** PostgreSQL's block comments nest. In SQLite, the end of the text also ends a comment. */
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

/**
 * Index after the closing quote, where a doubled quote stands for itself; -1 for an unterminated
 * one.
 */
function endOfQuoted(sql: string, from: number, quote: string): number {
  for (let at = from; ; at += 2) {
    at = sql.indexOf(quote, at);
    if (at < 0) return -1;
    if (sql.charAt(at + 1) !== quote) return at + 1;
  }
}

/** Index after the closing quote of a string with backslash escapes. */
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

/** Whether the token is one of these words, unquoted and in any case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.type === "word" && words.includes(token.text.toUpperCase());
}

/** Whether the token is this sign. */
export function isSign(token: Token | undefined, sign: string): boolean {
  return token?.type === "sign" && token.text === sign;
}
