import { nearMiss } from "../kernel/near-miss.js";

/** The names an agent may have meant. */
export interface NameCatalog {
  /** Tables and views; the engine's own and ours left out. */
  tables(): readonly string[];
  /** Columns in the table's order; empty when there is no such table. */
  columns(table: string): readonly string[];
  /** Foreign keys from and to these tables, as `orders.customer_id references customers(id)`. */
  foreignKeys(tables: readonly string[]): readonly string[];
}

/**
 * That there is no such table, what was meant, and which there are.
 * @param wanted as it was written, with its schema if it had one.
 */
export function missingTableHint(message: string, wanted: string, catalog: NameCatalog): string {
  const tables = catalog.tables();
  return `${withSuggestion(message, wanted, tables)} Tables: ${list(tables)}`;
}

/** That there is no such column, what was meant, and which those tables have. */
export function missingColumnHint(
  message: string,
  wanted: string,
  tables: readonly string[],
  catalog: NameCatalog,
): string {
  const columns = tables.map((table) => ({ table, names: catalog.columns(table) }));
  const known = columns.filter(({ names }) => names.length > 0);
  const names = known.flatMap((entry) => entry.names);
  const lists = known.map((entry) => ` Columns of ${entry.table}: ${list(entry.names)}`);
  // The name is right and stands behind the wrong table or alias.
  const owners = known.filter((entry) => entry.names.includes(wanted)).map(({ table }) => table);
  if (owners.length > 0) {
    return `${message}; ${wanted} is a column of ${owners.join(" and of ")}.${lists.join(".")}`;
  }
  return `${withSuggestion(message, wanted, names)}${lists.join(".")}`;
}

/** Which of the tables have a column of that name. */
export function ambiguousColumnHints(
  message: string,
  column: string,
  tables: readonly string[],
  catalog: NameCatalog,
): readonly string[] {
  const owners = tables.filter((table) =>
    catalog.columns(table).some((name) => name.toLowerCase() === column.toLowerCase()),
  );
  if (owners.length === 0) return [];
  return [`${message}; say which: ${owners.map((table) => `${table}.${column}`).join(" or ")}`];
}

/** Which foreign keys lead from and to those tables. */
export function foreignKeyHints(
  message: string,
  tables: readonly string[],
  catalog: NameCatalog,
): readonly string[] {
  const keys = catalog.foreignKeys(tables);
  return keys.length === 0 ? [] : [`${message}; foreign keys: ${list(keys)}`];
}

function withSuggestion(message: string, wanted: string, names: readonly string[]): string {
  const unqualified = wanted.slice(wanted.lastIndexOf(".") + 1);
  const nearest = nearMiss(wanted, names) ?? nearMiss(unqualified, names);
  if (nearest !== undefined) return `${message}; did you mean ${nearest}?`;
  return message.endsWith("?") ? message : `${message}.`;
}

/** Names in one hint; the system prompt it goes into is not for whole catalogs. */
const LISTED_NAMES_MAX = 50;

function list(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - LISTED_NAMES_MAX;
  const shown = names.slice(0, LISTED_NAMES_MAX).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
