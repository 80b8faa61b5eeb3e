import type { QueryResultRow } from "pg";
import { MARKER_TABLE } from "../own-tables.js";
import type { ChangedRows } from "../sql-target/statement-limits.js";
import type { Session } from "./session.js";
import { OWN_OID_MIN } from "./touched/reached-catalog.js";

/** A condition on `pg_class`: the tables whose rows count. */
export const COUNTED_TABLES: string = `relkind IN ('r', 'm') AND oid >= ${OWN_OID_MIN} AND relname <> '${MARKER_TABLE}'`;

/** Rows of a table of `pg_class` that the session has counted. */
export const ROWS_INSERTED = "pg_stat_get_xact_tuples_inserted(oid)";
export const ROWS_UPDATED = "pg_stat_get_xact_tuples_updated(oid)";
export const ROWS_DELETED = "pg_stat_get_xact_tuples_deleted(oid)";

/**
 * Rows that the session has changed in tables, as PostgreSQL counts them for its statistics: with those
 * of triggers, foreign keys and functions. The counters still have the rows of earlier transactions whose
 * statistics have not been sent yet, so only the difference between two counts has a meaning.
 */
const COUNT = `SELECT coalesce(sum(${ROWS_INSERTED} + ${ROWS_UPDATED} + ${ROWS_DELETED}), 0) AS rows_counted
  FROM pg_class WHERE ${COUNTED_TABLES}`;

/** SQL that counts before a statement, in its transaction. */
export const COUNT_TEXT: string = `${COUNT};`;

/** The number that {@link COUNT_TEXT} returned. */
export function countIn(results: readonly (readonly QueryResultRow[])[]): number {
  const row = results.flat().find((each) => "rows_counted" in each);
  return Number(row?.["rows_counted"]);
}

/**
 * What has changed rows that the statistics do not count. A write to a foreign table locks it like any
 * other table. TRUNCATE, DROP TABLE and rewriting a table need the exclusive lock of a table that is older than the
 * transaction, even inside a function; the system columns of a table are as old as the table.
 */
const UNCOUNTED = `SELECT CASE
    WHEN current_setting('track_counts') = 'off' THEN 'a statement of a server with track_counts = off'
    ELSE (SELECT min(CASE
        WHEN relkind = 'f' THEN 'a statement on the foreign table ' || relname
        ELSE coalesce('TRUNCATE, ALTER TABLE or another statement that locks all of ' || relname, 'DROP') END)
      FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation
      WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation >= ${OWN_OID_MIN} AND (
        mode = 'RowExclusiveLock' AND relkind = 'f'
        OR mode = 'AccessExclusiveLock' AND (c.oid IS NULL OR relkind IN ('r', 'm', 'p', 'f') AND NOT EXISTS (
          SELECT FROM pg_attribute a WHERE attrelid = c.oid AND attname = 'ctid' AND age(a.xmin) <= 0))))
    END AS uncounted, counted.* FROM (${COUNT}) AS counted`;

/**
 * The rows that the transaction has changed, also by triggers that are deferred to its end.
 * @param before the number before the statement.
 */
export async function changedRows(session: Session, before: number): Promise<ChangedRows> {
  const [row] = await session.commandRows(`SET CONSTRAINTS ALL IMMEDIATE; ${UNCOUNTED}`);
  const uncounted: unknown = row?.["uncounted"];
  return {
    rows: Number(row?.["rows_counted"]) - before,
    ...(typeof uncounted === "string" ? { uncounted } : {}),
  };
}
