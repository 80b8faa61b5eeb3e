import { isSign, isWord, TokenReader, tokensOf, type Token } from "@steward/schema/sql";

/** The table that a statement changes, and where its RETURNING begins or would begin. */
export interface ChangedTable {
  readonly verb: "INSERT" | "UPDATE" | "DELETE" | "MERGE";
  /** The table's name as written. */
  readonly table: string;
  /** By which the statement's columns are qualified, as written: the alias, or the table's name. */
  readonly reference: string;
  /** The statement up to its RETURNING, or all of it. */
  readonly body: string;
}

const VERBS = ["INSERT", "UPDATE", "DELETE", "MERGE"] as const;

/** Words that follow the table's name and are no alias of it. */
const NO_ALIAS: ReadonlySet<string> = new Set([
  ...["SET", "USING", "WHERE", "RETURNING", "VALUES", "SELECT", "DEFAULT", "OVERRIDING"],
  ...["WITH", "TABLE", "ON"],
]);

/**
 * Finds the changed table of a valid statement of PostgreSQL.
 * @returns undefined when the statement itself is no change of rows.
 */
export function changedTable(sql: string): ChangedTable | undefined {
  const tokens = outerTokens(sql);
  if (isWord(tokens[0], "EXPLAIN")) return undefined;
  const reader = new TokenReader(tokens);
  for (; !reader.isDone; reader.next()) {
    // Both words are reserved, so the statement is a query, which may end with FOR UPDATE.
    if (isWord(reader.peek(), "SELECT", "TABLE")) return undefined;
    const verb = VERBS.find((each) => isWord(reader.peek(), each));
    // A common table expression may have the name of a verb.
    const isName = isWord(reader.peek(1), "AS") || isSign(reader.peek(1), "(");
    if (verb === undefined || isName) continue;
    reader.next();
    reader.takeOneOf("INTO", "FROM");
    reader.takeWords("ONLY");
    return { verb, ...nameOf(reader), body: bodyOf(sql, tokens) };
  }
  return undefined;
}

/** Why a statement has no preview that itself is no change of rows. */
export function whyNotPreviewed(sql: string): string {
  const tokens = tokensOf(sql, "postgres").filter(({ type }) => type !== "comment");
  const [first] = tokens;
  if (!isSign(first, "(") && !isWord(first, "SELECT", "TABLE", "VALUES", "WITH")) {
    return `only INSERT, UPDATE, DELETE and MERGE are previewed, and it is ${first?.text.toUpperCase() ?? ""}`;
  }
  const isLock = (token: Token, index: number): boolean =>
    isWord(token, "UPDATE", "SHARE") && isWord(tokens[index - 1], "FOR", "KEY");
  const isChange = (token: Token, index: number): boolean =>
    isWord(token, ...VERBS) && !isLock(token, index);
  if (isWord(first, "WITH") && tokens.some(isChange)) {
    return "it is a query that changes rows only within its WITH";
  }
  return tokens.some(isLock)
    ? "it is a query that locks rows"
    : "it is a query that changes something only by the functions that it calls";
}

/** The tokens outside parentheses, with the parentheses themselves. */
function outerTokens(sql: string): readonly Token[] {
  let depth = 0;
  return tokensOf(sql, "postgres").filter((token) => {
    if (token.type === "comment") return false;
    if (isSign(token, ")")) depth -= 1;
    const isOuter = depth === 0;
    if (isSign(token, "(")) depth += 1;
    return isOuter;
  });
}

function nameOf(reader: TokenReader): Pick<ChangedTable, "table" | "reference"> {
  const parts = [reader.next().text];
  while (reader.takeSign(".")) parts.push(reader.next().text);
  reader.takeSign("*");
  const last = parts.at(-1) ?? "";
  const table = parts.join(".");
  if (reader.takeWords("AS")) return { table, reference: reader.next().text };
  const next = reader.peek();
  const isAlias =
    next?.type === "name" || (next?.type === "word" && !NO_ALIAS.has(next.text.toUpperCase()));
  return { table, reference: isAlias ? next.text : last };
}

function bodyOf(sql: string, tokens: readonly Token[]): string {
  // RETURNING is a reserved word, so outside parentheses it occurs once at most.
  const end = tokens.find((token) => isWord(token, "RETURNING") || isSign(token, ";"));
  return end === undefined ? sql : sql.slice(0, end.start);
}
