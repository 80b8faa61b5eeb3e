import { EXAMPLES_MAX, type RowQuestion } from "../model/row-check.js";
import type { SqliteObject, SqliteSchema } from "../model/schema.js";
import { quoteName } from "./expression.js";

/** The effect of a type change on values that are copied to the new column; as on PostgreSQL. */
export interface SqliteConversion {
  readonly outcome: "kept" | "refused" | "checked";
  /** The reason, as a sentence without a full stop. */
  readonly reason: string;
}

/** A column before and after, and the schemas that describe it. */
export interface CopiedColumn {
  readonly base: SqliteSchema;
  readonly target: SqliteSchema;
  readonly old: SqliteObject<"Column">;
  readonly now: SqliteObject<"Column">;
}

/**
 * A column's affinity, which decides how values are stored (SQLite, "Datatypes In SQLite", section
 * 3).
 */
type Storage = "INTEGER" | "NUMERIC" | "REAL" | "TEXT" | "BLOB";

interface Verdict extends SqliteConversion {
  /** SQL condition: the conversion changes this value. */
  readonly changes?: (value: string) => string;
  /** SQL expression: the converted value. */
  readonly becomes?: (value: string) => string;
}

/** The effect on a column's values when its table is rebuilt. */
export function conversionIn(copied: CopiedColumn): SqliteConversion {
  const { outcome, reason } = verdictOn(copied);
  return { outcome, reason };
}

/**
 * The check that precedes the copy of a column whose new affinity may change values.
 * @param table the table's current name; the column has its current name too.
 */
export function questionFor(copied: CopiedColumn, table: string): RowQuestion | undefined {
  const { changes, becomes, outcome, reason } = verdictOn(copied);
  if (outcome !== "checked" || changes === undefined || becomes === undefined) return undefined;
  const { target, now } = copied;
  const value = quoteName(now.name);
  const changed = `FROM ${table} WHERE ${changes(value)}`;
  const example = `substr(quote(${value}), 1, 40) || ' → ' || substr(${becomes(value)}, 1, 40)`;
  return {
    object: target.pathOf(now),
    consequence: `of its values would change when converted to ${now.values.type ?? "untyped"}: ${reason}`,
    count: `SELECT count(*) AS count ${changed}`,
    examples: `SELECT ${example} AS example ${changed} LIMIT ${EXAMPLES_MAX}`,
  };
}

function verdictOn(copied: CopiedColumn): Verdict {
  const { base, target, old, now } = copied;
  const [from, to] = [storageOf(base, old), storageOf(target, now)];
  if (isRowid(target, now) && !isRowid(base, old)) return numbered(from, to);
  const verdict = converted(from, to);
  const isStrict = isStrictTable(target, now) && now.values.type?.toUpperCase() !== "ANY";
  if (verdict.outcome !== "kept" || !isStrict) return verdict;
  const isSame = isStrictTable(base, old) && old.values.type === now.values.type;
  if (isSame) return verdict;
  return { outcome: "refused", reason: "a value of another type stops the migration" };
}

function converted(from: Storage, to: Storage): Verdict {
  const [was, is] = [from, to].map((each) => (each === "INTEGER" ? "NUMERIC" : each));
  if (was === is || to === "BLOB")
    return { outcome: "kept", reason: "values are stored as before" };
  if (to === "TEXT") return toText();
  if (to === "REAL") return toReal();
  if (from === "REAL") return { outcome: "kept", reason: "a whole number is the same number" };
  return toNumber();
}

/** Numeric text is converted to a number, which loses its spelling. */
function toNumber(): Verdict {
  return {
    outcome: "checked",
    reason: "text that looks like a number becomes a number",
    changes: (value) =>
      `${becomesNumber(value)} AND CAST(CAST(${value} AS NUMERIC) AS TEXT) <> +${value}`,
    becomes: (value) => `quote(CAST(${value} AS NUMERIC))`,
  };
}

function toReal(): Verdict {
  return {
    outcome: "checked",
    reason: "text that looks like a number becomes one, and large integers are rounded",
    changes: (value) =>
      `CASE typeof(${value}) WHEN 'integer' THEN CAST(${value} AS REAL) <> +${value} ` +
      `WHEN 'text' THEN ${becomesNumber(value)} AND (+${value} NOT IN ` +
      `(CAST(CAST(${value} AS NUMERIC) AS TEXT), CAST(CAST(${value} AS REAL) AS TEXT)) ` +
      `OR CAST(${value} AS NUMERIC) <> CAST(${value} AS REAL)) ELSE 0 END`,
    becomes: (value) => `quote(CAST(${value} AS REAL))`,
  };
}

function toText(): Verdict {
  return {
    outcome: "checked",
    reason: "a number is written with at most 15 digits",
    changes: (value) =>
      `typeof(${value}) = 'real' AND CAST(CAST(${value} AS TEXT) AS REAL) <> ${value}`,
    becomes: (value) => `quote(CAST(${value} AS TEXT))`,
  };
}

/** Comparing with a number converts text by the same rules as storing it in a numeric column. */
function becomesNumber(value: string): string {
  return `typeof(${value}) = 'text' AND CAST(${value} AS NUMERIC) = +${value}`;
}

/** An INTEGER PRIMARY KEY replaces NULL by a new rowid. */
function numbered(from: Storage, to: Storage): Verdict {
  const { changes, becomes } = converted(from, to);
  return {
    outcome: "checked",
    reason: "NULL is given a number, and text that looks like a number becomes one",
    changes: (value) => `(${value} IS NULL OR (${changes?.(value) ?? "0"}))`,
    becomes: (value) =>
      `CASE WHEN ${value} IS NULL THEN 'a new number' ELSE ${becomes?.(value) ?? `quote(${value})`} END`,
  };
}

/** Whether a column is an alias of the rowid (SQLite, "CREATE TABLE", section 5). */
export function isRowid(
  schema: SqliteSchema,
  { id, values, parent }: SqliteObject<"Column">,
): boolean {
  if (values.type?.toUpperCase() !== "INTEGER") return false;
  if (schema.get(parent).values.isWithoutRowid === true) return false;
  const [key] = schema.partsOf(parent, "PrimaryKey");
  const columns = key === undefined ? [] : key.values.columns;
  return columns.length === 1 && columns[0]?.column?.ref === id;
}

function isStrictTable(schema: SqliteSchema, { parent }: SqliteObject<"Column">): boolean {
  return schema.get(parent).values.isStrict === true;
}

function storageOf(schema: SqliteSchema, column: SqliteObject<"Column">): Storage {
  const { values } = column;
  // In a STRICT table, a column of type ANY stores values unchanged.
  if (isStrictTable(schema, column) && values.type?.toUpperCase() === "ANY") return "BLOB";
  // The catalog reader only writes these five affinities.
  return (values.affinity ?? "BLOB") as Storage;
}
