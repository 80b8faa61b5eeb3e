import type { QueryResultRow } from "pg";
import type { StatementToPreview } from "../../../plans/ports.js";
import { COUNTED_TABLES, ROWS_DELETED, ROWS_INSERTED, ROWS_UPDATED } from "../changed-rows.js";
import type { Session } from "../session.js";
import type { TableFacts } from "./table-facts.js";

/** Rows of a table that a transaction has changed, as the statistics count them. */
interface RowCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** By the table's name, as in `TouchedTable`. */
export type CountedTables = ReadonlyMap<string, RowCounts>;

const COUNT_EACH = `SELECT lower(nspname || '.' || relname) AS counted_name,
    ${ROWS_INSERTED} AS inserted, ${ROWS_UPDATED} AS updated, ${ROWS_DELETED} AS deleted
  FROM pg_class c JOIN LATERAL (SELECT nspname FROM pg_namespace WHERE pg_namespace.oid = relnamespace) n ON true
  WHERE ${COUNTED_TABLES} AND ${ROWS_INSERTED} + ${ROWS_UPDATED} + ${ROWS_DELETED} > 0`;

/** SQL that counts before a statement, in its transaction. */
export const COUNT_EACH_TEXT: string = `${COUNT_EACH};`;

/** The counts that {@link COUNT_EACH_TEXT} returned. */
export function countsIn(rows: readonly QueryResultRow[]): CountedTables {
  const counted = rows.filter((row) => "counted_name" in row);
  return new Map(
    counted.map(({ counted_name: name, inserted, updated, deleted }) => [
      String(name),
      { inserted: Number(inserted), updated: Number(updated), deleted: Number(deleted) },
    ]),
  );
}

/** The sum of the counted rows. */
export function sumOf(counted: CountedTables): number {
  return [...counted.values()].reduce((sum, counts) => sum + allOf(counts), 0);
}

/** What a previewed statement has changed, and what it has returned. */
interface CountedWrite {
  readonly asked: StatementToPreview;
  readonly facts: TableFacts;
  /** Rows that it has returned. */
  readonly returned: number;
  /** The counts before the statement. */
  readonly before: CountedTables;
}

/** Names the rows that change without being returned: by cascades, triggers or other parts of the statement. */
export async function unreturnedRows(
  session: Session,
  { asked, facts, returned, before }: CountedWrite,
): Promise<readonly string[]> {
  const after = countsIn(await session.commandRows(COUNT_EACH));
  const family = new Set([facts.name, ...facts.relatives]);
  const shown = new Set(asked.tables.map(({ name }) => name));
  const own: RowCounts[] = [];
  const others = new Map<string, number>();
  for (const [name, counts] of after) {
    const difference = without(counts, before.get(name) ?? NONE);
    if (!facts.isView && family.has(name)) own.push(difference);
    else {
      // Only the names of tables that the approval is known to touch are told.
      const told = shown.has(name) ? name : "other tables";
      others.set(told, (others.get(told) ?? 0) + allOf(difference));
    }
  }
  const ownRows = (facts.relatives.length > 0 ? rowsOnce : allOf)(own.reduce(plus, NONE));
  const further = [[facts.name, facts.isView ? 0 : ownRows - returned] as const, ...others];
  const named = further.flatMap(([name, rows]) => (rows > 0 ? [`${rows} of ${name}`] : []));
  if (named.length === 0) return [];
  const by = facts.isView
    ? `the rows of the view ${facts.name} are shown, not those of tables`
    : "by cascades, triggers, rules or other parts of the statement";
  return [`Further rows change, which are not shown: ${named.join(", ")} (${by})`];
}

const NONE: RowCounts = { inserted: 0, updated: 0, deleted: 0 };

function plus(a: RowCounts, b: RowCounts): RowCounts {
  return {
    inserted: a.inserted + b.inserted,
    updated: a.updated + b.updated,
    deleted: a.deleted + b.deleted,
  };
}

function without(a: RowCounts, b: RowCounts): RowCounts {
  return plus(a, { inserted: -b.inserted, updated: -b.updated, deleted: -b.deleted });
}

function allOf({ inserted, updated, deleted }: RowCounts): number {
  return inserted + updated + deleted;
}

/** A row that moves to another partition is deleted there and inserted here. */
function rowsOnce({ inserted, updated, deleted }: RowCounts): number {
  return updated + Math.max(inserted, deleted);
}
