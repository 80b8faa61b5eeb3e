import { nearMiss } from "../../../kernel/near-miss.js";
import type { Catalog } from "./catalog.js";

/**
 * Sentences that help to repair a statement: near-miss names, and what there is instead.
 * @param message what the engine said of it.
 * @param tables tables the statement names.
 */
export function hintsFor(
  message: string,
  tables: readonly string[],
  catalog: Catalog,
): readonly string[] {
  const table = /^no such table: (?:main\.)?(.+)$/.exec(message)?.[1];
  if (table !== undefined) return [missingTableHint(message, table, catalog)];
  const inserted = /^table (.+) has no column named (.+)$/.exec(message);
  if (inserted?.[1] !== undefined && inserted[2] !== undefined) {
    return [missingColumnHint(message, inserted[2], [inserted[1]], catalog)];
  }
  const column = /^no such column: (?:.*\.)?"?(.+?)"?(?: - should this be .*)?$/.exec(message)?.[1];
  if (column !== undefined) return [missingColumnHint(message, column, tables, catalog)];
  const ambiguous = /^ambiguous column name: (.+)$/.exec(message)?.[1];
  if (ambiguous !== undefined) return ambiguousColumnHints(message, ambiguous, tables, catalog);
  if (message === "FOREIGN KEY constraint failed") return foreignKeyHints(message, tables, catalog);
  return [];
}

function missingTableHint(message: string, wanted: string, catalog: Catalog): string {
  const tables = catalog.tables();
  return `${withSuggestion(message, wanted, tables)} Tables: ${list(tables)}`;
}

function missingColumnHint(
  message: string,
  wanted: string,
  tables: readonly string[],
  catalog: Catalog,
): string {
  const columns = tables.map((table) => ({ table, names: catalog.columns(table) }));
  const known = columns.filter(({ names }) => names.length > 0);
  const names = known.flatMap((entry) => entry.names);
  const lists = known.map((entry) => ` Columns of ${entry.table}: ${list(entry.names)}`);
  return `${withSuggestion(message, wanted, names)}${lists.join(".")}`;
}

function ambiguousColumnHints(
  message: string,
  column: string,
  tables: readonly string[],
  catalog: Catalog,
): readonly string[] {
  const owners = tables.filter((table) =>
    catalog.columns(table).some((name) => name.toLowerCase() === column.toLowerCase()),
  );
  if (owners.length === 0) return [];
  return [`${message}; say which: ${owners.map((table) => `${table}.${column}`).join(" or ")}`];
}

function foreignKeyHints(
  message: string,
  tables: readonly string[],
  catalog: Catalog,
): readonly string[] {
  const keys = catalog.foreignKeys(tables);
  return keys.length === 0 ? [] : [`${message}; foreign keys: ${list(keys)}`];
}

function withSuggestion(message: string, wanted: string, names: readonly string[]): string {
  const nearest = nearMiss(wanted, names);
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
