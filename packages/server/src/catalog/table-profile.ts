import type { Dialect } from "../governance/index.js";
import {
  CATALOG_LISTED_VALUES_MAX,
  CATALOG_PROFILE_COLUMNS_MAX,
  CATALOG_PROFILE_ROWS_MAX,
  CATALOG_VALUE_LENGTH_MAX,
} from "./limits.js";
import { quoted } from "../kernel/written-name.js";
import type { CatalogColumn, CatalogTable } from "./catalog-table.js";
import type { CatalogRow } from "./ports.js";

/** The number of rows of a table: exact up to a limit, and a lower bound beyond. */
export interface RowEstimate {
  readonly rows: number;
  /** `exact`, `at_least`, or `about`: the engine's statistics. */
  readonly kind: "exact" | "at_least" | "about";
}

/** Statistics of a sample of a table's rows, for the columns that were read. */
export interface TableProfile {
  readonly estimate?: RowEstimate;
  /** A few rows. */
  readonly sampleRows: readonly CatalogRow[];
  /** By column, the distinct values that were read of a column with few of them. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** By column, the least and the greatest number or date among the rows that were read or counted. */
  readonly ranges: ReadonlyMap<string, ValueRange>;
  /** Whether every row was read, so that `values` are all there are. */
  readonly isComplete: boolean;
}

/** The least and the greatest value of a column. */
export interface ValueRange {
  readonly least: string;
  readonly greatest: string;
}

/** The query that samples rows for a profile. It selects the table's columns. */
export function profileQuery(
  table: CatalogTable,
  columns: readonly CatalogColumn[],
  dialect: Dialect,
): string {
  const shown = columns
    .slice(0, CATALOG_PROFILE_COLUMNS_MAX)
    .map((column) => `${shortened(column, dialect)} AS ${quoted(column.name)}`);
  return `SELECT ${shown.join(", ")} FROM ${table.quotedName} LIMIT ${String(CATALOG_PROFILE_ROWS_MAX)}`;
}

/**
 * A query for the number of rows of a table that has more of them than are read, and for the ranges of
 * columns among as many rows as it counts.
 */
export function countQuery(
  { quotedName }: CatalogTable,
  ranged: readonly CatalogColumn[],
  dialect: Dialect,
): string {
  const limit = String(CATALOG_COUNTED_ROWS_MAX + 1);
  const read = ranged.map(
    (column, index) => `${shortened(column, dialect)} AS "c${String(index)}"`,
  );
  const ends = ranged.flatMap((_column, index) =>
    ["min", "max"].map((end) => `${end}("c${String(index)}") AS "${end}${String(index)}"`),
  );
  const counted = ['count(*) AS "rows"', ...ends].join(", ");
  const some = ['1 AS "one"', ...read].join(", ");
  return `SELECT ${counted} FROM (SELECT ${some} FROM ${quotedName} LIMIT ${limit}) AS "some"`;
}

/** The ranges of these columns in the answer to {@link countQuery}. */
export function countedRanges(
  ranged: readonly CatalogColumn[],
  [row]: readonly CatalogRow[],
): TableProfile["ranges"] {
  return new Map(
    ranged.flatMap(({ name }, index) => {
      const range = rangeOf([row?.[`min${String(index)}`], row?.[`max${String(index)}`]]);
      return range === undefined ? [] : [[name, range] as const];
    }),
  );
}

/** Rows that are counted before an estimate says "at least". */
const CATALOG_COUNTED_ROWS_MAX = 100_000;

/** Computes a profile from the rows that {@link profileQuery} returned. */
export function profileOf(rows: readonly CatalogRow[]): TableProfile {
  const isComplete = rows.length < CATALOG_PROFILE_ROWS_MAX;
  const names = Object.keys(rows[0] ?? {});
  return {
    ...(isComplete ? { estimate: { rows: rows.length, kind: "exact" } } : {}),
    sampleRows: rows.slice(0, SAMPLE_ROWS),
    values: new Map(
      names.flatMap((name) => {
        const values = fewValues(rows.map((row) => row[name]));
        return values === undefined ? [] : [[name, values] as const];
      }),
    ),
    ranges: new Map(
      names.flatMap((name) => {
        const range = rangeOf(rows.map((row) => row[name]));
        return range === undefined ? [] : [[name, range] as const];
      }),
    ),
    isComplete,
  };
}

/** The estimate that a count of {@link countQuery} gives. */
export function estimateOf([row]: readonly CatalogRow[]): RowEstimate | undefined {
  const rows = Number(row?.["rows"]);
  if (!Number.isFinite(rows)) return undefined;
  return rows > CATALOG_COUNTED_ROWS_MAX
    ? { rows: CATALOG_COUNTED_ROWS_MAX, kind: "at_least" }
    : { rows, kind: "exact" };
}

const SAMPLE_ROWS = 3;
/** A column with few values repeats them: a table with five rows of five names has no such column. */
const ROWS_PER_VALUE = 2;

/** The distinct values of a column when there are only few, the most frequent first. */
function fewValues(cells: readonly unknown[]): readonly string[] | undefined {
  const counts = new Map<string, number>();
  let present = 0;
  for (const cell of cells) {
    if (cell === null || cell === undefined || typeof cell === "object") continue;
    present += 1;
    // eslint-disable-next-line @typescript-eslint/no-base-to-string -- objects were skipped.
    const value = String(cell);
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size > CATALOG_LISTED_VALUES_MAX) return undefined;
  }
  if (counts.size === 0 || counts.size * ROWS_PER_VALUE > present) return undefined;
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

/** A date of ISO 8601, with or without a time. Dates of one form are ordered as texts. */
const DATE = /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-][\d:]+)?)?$/;

/** The range of cells that are all numbers, or all dates, apart from NULL. */
function rangeOf(cells: readonly unknown[]): ValueRange | undefined {
  const present = cells.filter((cell) => cell !== null && cell !== undefined);
  const numbers = present.filter((cell) => typeof cell === "number");
  const texts = present.filter((cell) => typeof cell === "string");
  if (present.length === 0) return undefined;
  if (numbers.length === present.length) {
    numbers.sort((a, b) => a - b);
    return { least: String(numbers[0]), greatest: String(numbers.at(-1)) };
  }
  if (texts.length < present.length || !texts.every((text) => DATE.test(text))) return undefined;
  texts.sort();
  return { least: texts[0] ?? "", greatest: texts.at(-1) ?? "" };
}

/** A column's value, cut so that a row with long texts stays small. Binary values are left out. */
function shortened({ name, type }: CatalogColumn, dialect: Dialect): string {
  const column = quoted(name);
  const length = String(CATALOG_VALUE_LENGTH_MAX);
  if (dialect === "postgres") {
    if (type === "bytea") return "NULL";
    return SHORT_TYPES.test(type) ? column : `left(${column}::text, ${length})`;
  }
  return (
    `CASE typeof(${column}) WHEN 'text' THEN substr(${column}, 1, ${length}) ` +
    `WHEN 'blob' THEN NULL ELSE ${column} END`
  );
}

/** Types of PostgreSQL whose values are short and are numbers or truth values in JSON too. */
const SHORT_TYPES = /^(smallint|integer|bigint|real|double precision|numeric(\(.*\))?|boolean)$/;
