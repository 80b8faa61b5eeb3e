import { AppError } from "../kernel/errors.js";
import type { RenameHint } from "./identify.js";
import type { Dialect } from "./schema.js";
import { isSign, isWord, splitStatements, type Token, tokensOf } from "./sql-tokens.js";
import { TokenReader } from "./token-reader.js";

/** Bytes of UTF-8 in a schema written as SQL. */
const DEFINITIONS_BYTES_MAX = 1024 * 1024;

/**
 * The statements of a schema written as SQL, which may only define things: nothing that reads or
 * writes rows, or reaches out of the database, is run to find out what a schema means.
 * @throws AppError `INVALID_ARGUMENT`, naming the statement; `LIMIT_EXCEEDED`.
 */
export function refuseMoreThanDefinitions(sql: string, dialect: Dialect): readonly string[] {
  if (Buffer.byteLength(sql) > DEFINITIONS_BYTES_MAX) {
    throw new AppError("LIMIT_EXCEEDED", `A schema has ${DEFINITIONS_BYTES_MAX} bytes at most`);
  }
  if (sql.includes("\0")) throw new AppError("INVALID_ARGUMENT", "The schema holds a NUL");
  return splitStatements(sql, dialect).map((tokens) => {
    const text = textFrom(sql, tokens);
    if (
      !isDefinition(
        tokens.filter(({ type }) => type !== "comment"),
        dialect,
      )
    ) {
      throw new AppError(
        "INVALID_ARGUMENT",
        `A schema is made of definitions only, and this is none: ${text.slice(0, 200)}`,
      );
    }
    return text;
  });
}

function textFrom(sql: string, tokens: readonly Token[]): string {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return "";
  // A comment that runs to the end of its line would swallow what comes after the statement.
  const end = last.start + last.text.length;
  return sql.slice(first.start, end) + (last.type === "comment" ? "\n" : "");
}

function isDefinition(tokens: readonly Token[], dialect: Dialect): boolean {
  const [first, second] = tokens;
  if (dialect === "postgres") return isPostgresDefinition(tokens);
  if (!isWord(first, "CREATE") || isWord(second, "TEMP", "TEMPORARY")) return false;
  if (!isWord(second, "TABLE")) return true;
  // CREATE TABLE … AS would run a query.
  const reader = new TokenReader(tokens.slice(2));
  reader.takeWords("IF", "NOT", "EXISTS");
  reader.next();
  while (reader.takeSign(".")) reader.next();
  return isSign(reader.peek(), "(");
}

/** What may be defined inside of one PostgreSQL database. */
const DEFINED = [
  ...["SCHEMA", "TABLE", "INDEX", "VIEW", "SEQUENCE", "TYPE", "DOMAIN", "FUNCTION", "PROCEDURE"],
  ...["TRIGGER", "POLICY", "EXTENSION", "COLUMN", "CONSTRAINT", "AGGREGATE", "OPERATOR", "CAST"],
  ...["RULE", "STATISTICS", "PUBLICATION", "COLLATION", "TEXT", "FOREIGN", "SERVER", "DEFAULT"],
];
const QUALIFIERS = [
  "OR",
  "REPLACE",
  "UNIQUE",
  "UNLOGGED",
  "RECURSIVE",
  "MATERIALIZED",
  "CONSTRAINT",
];

/** Neither roles nor anything else that the whole server has, nor a query. */
function isPostgresDefinition(tokens: readonly Token[]): boolean {
  const reader = new TokenReader(tokens);
  const verb = reader.takeOneOf("CREATE", "ALTER", "COMMENT", "GRANT", "REVOKE", "SET");
  if (verb === "SET") return !isWord(reader.peek(), "ROLE", "SESSION");
  if (verb === "GRANT" || verb === "REVOKE") return tokens.some((token) => isWord(token, "ON"));
  if (verb === "COMMENT") reader.takeWords("ON");
  while (isWord(reader.peek(), ...QUALIFIERS) && !isWord(reader.peek(1), "ON")) {
    if (isWord(reader.peek(), "CONSTRAINT") && !isWord(reader.peek(1), "TRIGGER")) break;
    reader.next();
  }
  const kind = verb === undefined ? undefined : reader.takeOneOf(...DEFINED);
  if (verb !== "CREATE" || kind !== "TABLE") return kind !== undefined;
  // CREATE TABLE … AS would run a query.
  reader.takeWords("IF", "NOT", "EXISTS");
  reader.next();
  while (reader.takeSign(".")) reader.next();
  return isSign(reader.peek(), "(") || isWord(reader.peek(), "PARTITION");
}

/** Objects of a table that `-- @renamed from=old` may stand in. */
const KINDS: Readonly<Record<string, RenameHint["kind"]>> = {
  TABLE: "Table",
  INDEX: "Index",
  VIEW: "View",
  TRIGGER: "Trigger",
  TYPE: "Type",
};

/**
 * The hints that stand in a schema as comments: `-- @renamed from=old`, behind the name of a table,
 * an index or a view, or in a column's definition or behind its comma.
 */
export function renameHints(sql: string, dialect: Dialect): readonly RenameHint[] {
  return splitStatements(sql, dialect).flatMap(hintsIn);
}

function hintsIn(tokens: readonly Token[]): readonly RenameHint[] {
  const code = tokens.filter(({ type }) => type !== "comment");
  const at = code.findIndex((token) => isWord(token, ...Object.keys(KINDS)));
  const kind = KINDS[code[at]?.text.toUpperCase() ?? ""];
  const name = ownName(code, at + 1);
  if (kind === undefined || name === undefined) return [];
  return tokens.flatMap((comment) => {
    const from = renamedFrom(comment);
    if (from === undefined) return [];
    const column = kind === "Table" ? columnBefore(code, comment) : undefined;
    if (column === undefined) return [{ kind, from, to: name }];
    return [{ kind: "Column" as const, table: name, from, to: column }];
  });
}

function renamedFrom({ type, text }: Token): string | undefined {
  if (type !== "comment") return undefined;
  const match = /@renamed\s+from=("(?:[^"]|"")+"|[^\s*]+)/.exec(text)?.[1];
  return match === undefined ? undefined : tokensOf(match)[0]?.value;
}

/** The last part of the name that a statement begins with. */
function ownName(code: readonly Token[], from: number): string | undefined {
  let at = from;
  while (isWord(code[at], "IF", "NOT", "EXISTS", "CONCURRENTLY")) at += 1;
  while (isSign(code[at + 1], ".")) at += 2;
  return code[at]?.value;
}

/** The column in whose definition, or behind whose comma, a comment stands; undefined for neither. */
function columnBefore(code: readonly Token[], comment: Token): string | undefined {
  let depth = 0;
  let column: string | undefined;
  let isStart = false;
  for (const token of code) {
    if (token.start > comment.start) break;
    if (isStart) column = token.value;
    isStart = (isSign(token, "(") && depth === 0) || (isSign(token, ",") && depth === 1);
    if (isSign(token, "(")) depth += 1;
    if (isSign(token, ")")) depth -= 1;
  }
  return depth === 1 ? column : undefined;
}
