import { nearMiss } from "../../../kernel/near-miss.js";
import {
  ambiguousColumnHints,
  foreignKeyHints,
  missingColumnHint,
  missingTableHint,
} from "../../sql-target/repair-hints.js";
import type { Catalog } from "./catalog.js";

/**
 * Hints for repairing a statement: similar names, and the existing ones.
 * @param message the engine's error message.
 * @param tables tables named in the statement.
 */
export function hintsFor(
  message: string,
  tables: readonly string[],
  catalog: Catalog,
): readonly string[] {
  const called = /^no such function: (.+)$/.exec(message)?.[1];
  if (called !== undefined) {
    const meant = nearMiss(called, catalog.functionsLike(called));
    return meant === undefined ? [] : [`${message}; did you mean ${meant}?`];
  }
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
