import type { Relation } from "@steward/schema";
import { tokenize } from "../plans/index.js";
import type { StatementError } from "../plans/ports.js";
import type { NamedPart } from "./correction.js";
import { constraintIn, type NamedConstraint } from "./named-constraint.js";
import { columnsByConstraintName } from "./schema/constraint-name.js";
import { columnNamed, type KnownTables } from "./schema/known-tables.js";

/**
 * The columns that the message of a failed statement names, or may name. The columns that the statement names are not
 * among them, except those of a constraint. The time is linear in the lengths of the statement and the message.
 * @param tables absent when the schema is not known.
 * @returns `undefined` when that cannot be told.
 */
export function namesIn(
  failure: StatementError,
  sql: string,
  tables: KnownTables | undefined,
): readonly NamedPart[] | undefined {
  const constraint = constraintIn(failure);
  const named = tables && tablesIn(sql, tables);
  const tellsValues = constraint === undefined && mayTellValues(failure, sql, named ?? []);
  if (tables === undefined || named === undefined) {
    return constraint === undefined && !tellsValues ? [] : undefined;
  }
  if (tellsValues) return named.map(allColumns);
  const besides = failure.reason === "statement" ? columnsBesides(failure.message, sql, named) : [];
  if (constraint === undefined) return besides;
  const part = columnsOf(constraint, tables);
  if (part !== undefined) return [part, ...besides];
  // The constraint may belong to a partition, which has the same columns as the named table.
  const whole = named.map(allColumns);
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
  const where = new SearchedText(sql).contains(bareName) ? ` on ${bareName}` : "";
  return `${kind} constraint failed${where}: it is about a column that you may not read`;
}

/** Texts in quotes, as the languages of servers write them. */
const QUOTED = /["'`«„“]([^"'`»“”]+)["'`»“”]/gu;

/**
 * Whether a message may have values of rows: one that a function of the database has made, or that quotes what is
 * neither in the statement nor a column of its tables.
 */
function mayTellValues(
  { message, reason, cause }: StatementError,
  sql: string,
  tables: readonly Relation[],
): boolean {
  if (reason !== "statement") return false;
  if (cause instanceof Error && "where" in cause && cause.where !== undefined) return true;
  const written = sql.toLowerCase();
  const isName = (text: string): boolean =>
    tables.some(({ columns }) => columns.some(({ name }) => name === text));
  return [...message.matchAll(QUOTED)].some(
    ([, text = ""]) => !written.includes(text.toLowerCase()) && !isName(text),
  );
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
function columnsBesides(
  message: string,
  sql: string,
  named: readonly Relation[],
): readonly NamedPart[] {
  const [said, asked] = [new SearchedText(message), new SearchedText(sql)];
  return named.flatMap((table) => {
    const columns = table.columns
      .map(({ name }) => name)
      .filter((name) => said.contains(name) && !asked.contains(name));
    return columns.length === 0 ? [] : [{ table, columns }];
  });
}

/** The tables whose names stand anywhere in a statement: at least those that it reads or changes. */
function tablesIn(sql: string, tables: KnownTables): readonly Relation[] {
  const found = new Set<Relation>();
  let schema = "";
  let isPath = false;
  for (const { type, value, text } of tokenize(sql, tables.dialect)) {
    if (type === "word" || type === "name") {
      const path = isPath ? `${schema}.${value}` : value;
      const table = tables.find(path);
      if (table !== undefined) found.add(table);
      [schema, isPath] = [value, false];
    } else if (type !== "blank" && type !== "comment") {
      isPath = text === ".";
    }
  }
  return [...found];
}

function allColumns(table: Relation): NamedPart {
  return { table, columns: table.columns.map(({ name }) => name) };
}

/** Letters and digits that stand together. */
const RUNS = /[\p{L}\p{N}]+/gu;

/** A text in which many names are looked for, in any case. */
class SearchedText {
  readonly #text: string;
  /** Most names are excluded by these alone. */
  readonly #runs: ReadonlySet<string>;

  constructor(text: string) {
    this.#text = text.toLowerCase();
    this.#runs = new Set(this.#text.match(RUNS));
  }

  /** Whether it contains the name: alone, or between other characters than letters and digits. */
  contains(name: string): boolean {
    const part = name.toLowerCase();
    const runs = part.match(RUNS) ?? [];
    if (part === "" || !runs.every((run) => this.#runs.has(run))) return false;
    for (let at = this.#text.indexOf(part); at >= 0; at = this.#text.indexOf(part, at + 1)) {
      const around = [this.#text[at - 1] ?? "", this.#text[at + part.length] ?? ""];
      if (!around.some((character) => /[\p{L}\p{N}]/u.test(character))) return true;
    }
    return false;
  }
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
