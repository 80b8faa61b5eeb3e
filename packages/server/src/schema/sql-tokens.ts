/** What a token is: a name in quotes and a string are told apart by their quotes. */
export type TokenType = "word" | "name" | "string" | "number" | "sign" | "comment";

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

const PATTERNS: readonly (readonly [TokenType, RegExp])[] = [
  ["comment", /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ["string", /\$([A-Za-z_][A-Za-z0-9_]*)?\$[\s\S]*?\$\1\$/y],
  ["string", /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ["string", /(?:[xXbBnN]|[uU]&)?'(?:[^']|'')*'/y],
  ["name", /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ["word", /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ["number", /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["sign", /\|\||->>|->|::|:=|<<|>>|<=|>=|<>|!=|==|[\s\S]/y],
];

/**
 * Takes SQL apart, as SQLite and PostgreSQL write it, without understanding it.
 * @param dialect In SQLite, square brackets and back quotes quote a name.
 */
export function tokensOf(sql: string, dialect: "sqlite" | "postgres" = "sqlite"): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    if (/\s/.test(sql.charAt(at))) {
      at += 1;
      continue;
    }
    const token = tokenAt(sql, at, dialect);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(sql: string, start: number, dialect: "sqlite" | "postgres"): Token {
  for (const [type, pattern] of PATTERNS) {
    pattern.lastIndex = start;
    const text = pattern.exec(sql)?.[0];
    if (text === undefined) continue;
    if (type === "name" && dialect === "postgres" && !text.startsWith('"')) continue;
    if (type === "string" && text.startsWith("$") && dialect === "sqlite") continue;
    return { type, text, value: type === "name" ? unquote(text) : text, start };
  }
  return { type: "sign", text: sql.charAt(start), value: sql.charAt(start), start };
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

/** Statements, each with its tokens; a trigger's body belongs to its statement. */
export function splitStatements(
  sql: string,
  dialect: "sqlite" | "postgres" = "sqlite",
): readonly (readonly Token[])[] {
  const statements: Token[][] = [];
  let current: Token[] = [];
  let depth = 0;
  for (const token of tokensOf(sql, dialect)) {
    if (isSign(token, ";") && depth === 0) {
      if (current.some(({ type }) => type !== "comment")) statements.push(current);
      current = [];
      continue;
    }
    current.push(token);
    depth = depthAfter(token, current, depth);
  }
  if (current.some(({ type }) => type !== "comment")) statements.push(current);
  return statements;
}

/** How deep in BEGIN … END and CASE … END of a stored body the statement is after this token. */
function depthAfter(token: Token, statement: readonly Token[], depth: number): number {
  if (!hasBody(statement)) return 0;
  if (isWord(token, "BEGIN") || (depth > 0 && isWord(token, "CASE"))) return depth + 1;
  return isWord(token, "END") ? Math.max(0, depth - 1) : depth;
}

function hasBody(statement: readonly Token[]): boolean {
  const words = statement.filter(({ type }) => type !== "comment").slice(0, 4);
  return (
    isWord(words[0], "CREATE") &&
    words.some((word) => isWord(word, "TRIGGER", "FUNCTION", "PROCEDURE"))
  );
}
