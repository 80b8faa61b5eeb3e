import { tokenize } from "../plans/index.js";
import type { NamedPart } from "./correction.js";
import { columnNamed, type KnownTables } from "./schema/known-tables.js";

/** A refused row, as an engine words it. */
export interface NamedConstraint {
  /** Such as `UNIQUE`. */
  readonly kind: string;
  /** Tables and columns as the engine writes them, or the expression of a CHECK. */
  readonly text: string;
  /** Absent where the engine does not name it. */
  readonly table?: string;
}

/**
 * The constraint in a message that names columns. Other messages name only what the statement
 * names, or a constraint.
 */
export function constraintIn(message: string): NamedConstraint | undefined {
  const sqlite = /^(UNIQUE|NOT NULL|CHECK) constraint failed: (.+)$/s.exec(message);
  if (sqlite !== null) {
    const [, kind = "", text = ""] = sqlite;
    const table = /^(.+?)\.[^.]+$/.exec(text.split(", ")[0] ?? "")?.[1];
    return { kind, text, ...(kind === "CHECK" || table === undefined ? {} : { table }) };
  }
  const postgres = /^null value in column "(.+?)" of relation "(.+?)" violates/.exec(message);
  if (postgres === null) return undefined;
  const [, text = "", table = ""] = postgres;
  return { kind: "NOT NULL", text, table };
}

/** The columns that the message names; `undefined` when that cannot be told. */
export function columnsOf(
  { kind, text, table: name }: NamedConstraint,
  tables: KnownTables,
): NamedPart | undefined {
  if (kind === "CHECK") return checkedColumns(text, tables);
  const table = name === undefined ? undefined : tables.find(name);
  const columns = text.split(", ").map((path) => path.slice(path.lastIndexOf(".") + 1));
  const isKnown = table !== undefined && columns.every((column) => columnNamed(table, column));
  return isKnown ? { table, columns } : undefined;
}

/** SQLite's message without the columns. */
export function maskedMessage({ kind, table }: NamedConstraint): string {
  const where = table === undefined ? "" : ` on ${table}`;
  return `${kind} constraint failed${where}: it is about a column that you may not read`;
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
