import type { Relation } from "@steward/schema";
import { tokenize } from "../plans/index.js";
import type { StatementError } from "../plans/ports.js";
import type { NamedPart, ReadStatement } from "./correction.js";
import { columnsByConstraintName } from "./schema/constraint-name.js";
import { columnNamed, type KnownTables } from "./schema/known-tables.js";

/** A refused row, as an engine words it. */
export interface NamedConstraint {
  /** Such as `UNIQUE`. */
  readonly kind: string;
  /** Tables and columns as the engine writes them, the expression of a CHECK, or the constraint's name. */
  readonly text: string;
  /** Absent where the engine does not name it. */
  readonly table?: string;
  /** Whether `text` is the name of a constraint, which may contain names of columns. */
  readonly isName?: true;
}

/** SQLSTATEs of refused rows (PostgreSQL manual, appendix A, class 23). */
const KINDS: ReadonlyMap<unknown, string> = new Map([
  ["23001", "FOREIGN KEY"],
  ["23503", "FOREIGN KEY"],
  ["23505", "UNIQUE"],
  ["23514", "CHECK"],
  ["23P01", "EXCLUDE"],
]);

/**
 * The columns that the message of a failed statement names, or may name. The columns that the statement names are not
 * among them, except those of a constraint.
 * @param read absent when the schema is not known.
 * @returns `undefined` when that cannot be told.
 */
export function namesIn(
  failure: StatementError,
  read: ReadStatement | undefined,
): readonly NamedPart[] | undefined {
  const constraint = constraintIn(failure);
  if (read === undefined) return constraint === undefined ? [] : undefined;
  const besides = failure.reason === "statement" ? columnsBesides(failure.message, read) : [];
  if (constraint === undefined) return besides;
  const part = columnsOf(constraint, read.tables);
  if (part !== undefined) return [part, ...besides];
  // The constraint may belong to a partition, which has the same columns as the named table.
  const whole = tablesOf(read).map(allColumns);
  return constraint.isName === true && whole.length > 0 ? whole : undefined;
}

/** What is said in place of a message with a name that the caller may not see. */
export function maskedMessage(failure: StatementError, sql: string): string {
  const constraint = constraintIn(failure);
  if (constraint === undefined) {
    return "The database refuses the statement for a reason that is about a column that you may not read";
  }
  const { kind, table } = constraint;
  const bareName = table?.split(".").at(-1) ?? "";
  // A row of another table may refer to the row that is written.
  const where = containsName(sql, bareName) ? ` on ${bareName}` : "";
  return `${kind} constraint failed${where}: it is about a column that you may not read`;
}

/** The constraint that a message names, with its columns or with its own name. */
export function constraintIn({
  message,
  cause,
}: Pick<StatementError, "message" | "cause">): NamedConstraint | undefined {
  const sqlite = /^(UNIQUE|NOT NULL|CHECK) constraint failed: (.+)$/s.exec(message);
  if (sqlite !== null) {
    const [, kind = "", text = ""] = sqlite;
    const table = /^(.+?)\.[^.]+$/.exec(text.split(", ")[0] ?? "")?.[1];
    return { kind, text, ...(kind === "CHECK" || table === undefined ? {} : { table }) };
  }
  const postgres = /^null value in column "(.+?)" of relation "(.+?)" violates/.exec(message);
  if (postgres === null) return namedByServer(cause);
  const [, text = "", table = ""] = postgres;
  return { kind: "NOT NULL", text, table };
}

/** PostgreSQL names the constraint and its table in fields of their own, whatever language the message is in. */
function namedByServer(cause: unknown): NamedConstraint | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code, schema, table, constraint } = Object.fromEntries<unknown>(Object.entries(cause));
  const kind = KINDS.get(code);
  const isComplete = [schema, table, constraint].every((field) => typeof field === "string");
  if (kind === undefined || !isComplete) return undefined;
  const path = `${String(schema)}.${String(table)}`;
  return { kind, text: String(constraint), table: path, isName: true };
}

/** The columns of a constraint; `undefined` when that cannot be told. */
export function columnsOf(
  { kind, text, table: name, isName }: NamedConstraint,
  tables: KnownTables,
): NamedPart | undefined {
  const table = name === undefined ? undefined : tables.find(name);
  if (isName === true) return table && namedPart(table, text);
  if (kind === "CHECK") return checkedColumns(text, tables);
  const columns = text.split(", ").map((path) => path.slice(path.lastIndexOf(".") + 1));
  const isKnown = table !== undefined && columns.every((column) => columnNamed(table, column));
  return isKnown ? { table, columns } : undefined;
}

/** The columns of a constraint; a name that somebody chose may tell of any column of the table. */
function namedPart(table: Relation, constraint: string): NamedPart {
  const columns = columnsByConstraintName(table, constraint);
  return columns === undefined ? allColumns(table) : { table, columns };
}

/** The columns that a message names though the statement does not, as far as they are of the statement's tables. */
function columnsBesides(message: string, read: ReadStatement): readonly NamedPart[] {
  return tablesOf(read).flatMap((table) => {
    const columns = table.columns
      .map(({ name }) => name)
      .filter((name) => containsName(message, name) && !containsName(read.sql, name));
    return columns.length === 0 ? [] : [{ table, columns }];
  });
}

function tablesOf({ scopes }: ReadStatement): readonly Relation[] {
  return [...new Set(scopes.flatMap(({ known }) => known.map(({ table }) => table)))];
}

function allColumns(table: Relation): NamedPart {
  return { table, columns: table.columns.map(({ name }) => name) };
}

/** Whether a text contains a name, in any case: alone, or between other characters than letters and digits. */
function containsName(text: string, name: string): boolean {
  const [all, part] = [text.toLowerCase(), name.toLowerCase()];
  if (part === "") return false;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, at + 1)) {
    const around = [all[at - 1] ?? "", all[at + part.length] ?? ""];
    if (!around.some((character) => /[\p{L}\p{N}]/u.test(character))) return true;
  }
  return false;
}

/** The table whose CHECK has this expression, with the columns in the expression. */
function checkedColumns(expression: string, { all, dialect }: KnownTables): NamedPart | undefined {
  const words = tokenize(expression, dialect).flatMap(({ type, value, text }) =>
    type === "word" || type === "name" ? [(type === "name" ? value : text).toLowerCase()] : [],
  );
  const owners = all.filter(({ checks }) => checks.some((check) => check.includes(expression)));
  const [table] = owners;
  if (table === undefined || owners.length > 1) return undefined;
  const columns = table.columns.filter(({ name }) => words.includes(name.toLowerCase()));
  return columns.length === 0 ? undefined : { table, columns: columns.map(({ name }) => name) };
}
