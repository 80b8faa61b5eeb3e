import { nearMiss } from "../../kernel/near-miss.js";

/** The names that an agent may have meant. */
export interface NameCatalog {
  /** Tables and views, without the engine's and Steward's own. */
  tables(): readonly string[];
  /** Columns in the table's order; empty for an unknown table. */
  columns(table: string): readonly string[];
  /** Foreign keys from and to these tables, as `orders.customer_id references customers(id)`. */
  foreignKeys(tables: readonly string[]): readonly string[];
  /** A name, with those in front of it, as a statement writes it. */
  written(path: string): string;
}

/**
 * Hint for an unknown table: the probable table, and the existing ones.
 * @param wanted as written, including its schema.
 */
export function missingTableHint(message: string, wanted: string, catalog: NameCatalog): string {
  const tables = catalog.tables();
  return `${withSuggestion(message, wanted, tables, catalog)} Tables: ${list(tables, catalog)}`;
}

/** Hint for an unknown column: the probable column, and the columns of the statement's tables. */
export function missingColumnHint(
  message: string,
  wanted: string,
  tables: readonly string[],
  catalog: NameCatalog,
): string {
  const columns = tables.map((table) => ({ table, names: catalog.columns(table) }));
  const known = columns.filter(({ names }) => names.length > 0);
  const names = known.flatMap((entry) => entry.names);
  const lists = known.map(
    (entry) => ` Columns of ${catalog.written(entry.table)}: ${list(entry.names, catalog)}`,
  );
  // The column exists in another table or alias.
  const owners = known
    .filter((entry) => entry.names.includes(wanted))
    .map(({ table }) => catalog.written(table));
  if (owners.length > 0) {
    return `${message}; ${catalog.written(wanted)} is a column of ${owners.join(" and of ")}.${lists.join(".")}`;
  }
  return `${withSuggestion(message, wanted, names, catalog)}${lists.join(".")}`;
}

/** Hint for an ambiguous column: the tables that have a column of this name. */
export function ambiguousColumnHints(
  message: string,
  column: string,
  tables: readonly string[],
  catalog: NameCatalog,
): readonly string[] {
  const named = tables.flatMap((table) => {
    const exact = catalog
      .columns(table)
      .find((name) => name.toLowerCase() === column.toLowerCase());
    return exact === undefined ? [] : [`${catalog.written(table)}.${catalog.written(exact)}`];
  });
  return named.length === 0 ? [] : [`${message}; say which: ${named.join(" or ")}`];
}

/** Hint with the foreign keys from and to these tables. */
export function foreignKeyHints(
  message: string,
  tables: readonly string[],
  catalog: NameCatalog,
): readonly string[] {
  const keys = catalog.foreignKeys(tables);
  return keys.length === 0 ? [] : [`${message}; foreign keys: ${shortened(keys)}`];
}

/** Hint for a column beside an aggregate that no GROUP BY names. @param column as in `o.status`. */
export function ungroupedColumnHint(message: string, column: string): string {
  return `${message}; add ${column} to GROUP BY, or select an aggregate of it such as max(${column})`;
}

/** Hint for an operator between values of two types, which the engine's message names. */
export function operatorTypesHint(message: string, operator: string): string {
  return `${message}; cast one side of ${operator} to the type of the other: CAST(… AS …)`;
}

/** Hint for a row without a value in a column that needs one. */
export function missingValueHint(message: string, column: string): string {
  return `${message}; give ${column} a value that is not NULL`;
}

function withSuggestion(
  message: string,
  wanted: string,
  names: readonly string[],
  catalog: NameCatalog,
): string {
  const unqualified = wanted.slice(wanted.lastIndexOf(".") + 1);
  const nearest = nearMiss(wanted, names) ?? nearMiss(unqualified, names);
  if (nearest !== undefined) return `${message}; did you mean ${catalog.written(nearest)}?`;
  return message.endsWith("?") ? message : `${message}.`;
}

/** Limit of names in one hint, because hints become part of a prompt. */
const LISTED_NAMES_MAX = 50;

function list(names: readonly string[], catalog: NameCatalog): string {
  return shortened(names.map((name) => catalog.written(name)));
}

function shortened(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - LISTED_NAMES_MAX;
  const shown = names.slice(0, LISTED_NAMES_MAX).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
