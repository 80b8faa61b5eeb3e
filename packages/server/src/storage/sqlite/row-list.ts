import type { Write } from "./commit-protocol.js";

/**
 * Inserts rows with one statement, whatever their number. The rows are one JSON text, which is copied to the
 * thread that writes in one piece. Beside one statement a row it also spares work that the engine does for
 * each statement: the full-text index writes a segment for each one that inserts, and merges them later.
 * `jsonb_each` parses the text once, where `json_each` would have each value of a row parse the row again.
 * @param rows their values in the order of the columns; a number is stored as an INTEGER.
 */
export function insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): Write {
  return {
    sql: `INSERT INTO ${table} (${columns.join(", ")})
          SELECT ${columns.map((_, place) => `value ->> ${String(place)}`).join(", ")}
          FROM jsonb_each(?)`,
    params: [JSON.stringify(rows)],
    expect: rows.length,
  };
}
