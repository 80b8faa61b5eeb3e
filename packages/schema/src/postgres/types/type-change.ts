import {
  EXAMPLE_LENGTH_MAX,
  EXAMPLES_MAX,
  type RowQuestion,
  type Step,
} from "../../model/row-check.js";
import type { Statement, Work } from "../../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { alteringTable, on, statement } from "../commands.js";
import { isForeign, qualified, quoteName } from "../objects/names.js";
import { cast } from "./casts.js";
import { type Comparison, type Conversion, conversionOf } from "./conversions.js";
import { NUMBERS } from "./numbers.js";
import { TEXTS } from "./texts.js";
import { type ColumnType, columnType } from "./type-name.js";

/** A column before and after its type changes, and the schemas that describe it. */
export interface Retyping {
  readonly base: PostgresSchema;
  readonly target: PostgresSchema;
  readonly old: PostgresObject<"Column">;
  readonly now: PostgresObject<"Column">;
  /** Whether a type that the column uses is recreated under its name. */
  readonly isReplaced: boolean;
}

/** The effect of a column's type change on its values. */
export function conversionIn({ base, target, old, now, isReplaced }: Retyping): Conversion {
  return conversionOf(typeIn(base, old), typeIn(target, now), isReplaced);
}

/**
 * The steps that change a column's type. When values may change without an error, the rows are
 * checked first, under the lock that ALTER TABLE needs anyway.
 */
export function changeType(retyping: Retyping): readonly Step[] {
  const { base, target, old, now } = retyping;
  const table = target.get(now.parent);
  const name = qualified(target, table);
  const [from, to] = [typeIn(base, old), typeIn(target, now)];
  const conversion = conversionIn(retyping);
  const column = quoteName(now.name);
  const value = cast(column, from.text, now.values.type, to.text);
  const collation = now.values.collation;
  const sql = [
    `ALTER TABLE ${name} ALTER COLUMN ${column} TYPE ${now.values.type}`,
    ...(collation === undefined ? [] : [`COLLATE ${collation}`]),
    ...(isAssigned(from, to, conversion) ? [] : [`USING ${value}`]),
  ].join(" ");
  const subject = on(target, now);
  const change = statement("alter_column_type", sql, { ...subject, rows: workOf(retyping) });
  // A foreign table's rows are on another server and do not change.
  if (conversion.outcome !== "checked" || isForeign(table)) return [change];
  // The table's settings have been changed by now.
  const isForced = table.values.rowSecurity === "forced";
  const isShortened = ["real", "double precision"].includes(from.name) && TEXTS.has(to.name);
  const set = (parameter: string): Statement =>
    statement("set_parameter", `SET LOCAL ${parameter}`, { object: subject.object });
  const security = (word: string): Statement =>
    alteringTable("set_row_security", target, table, `${word} ROW LEVEL SECURITY`);
  return [
    // Forced row security would hide rows from the check. With row_security off, a check that it
    // still affects fails instead.
    ...(isForced ? [security("NO FORCE"), set("row_security = off")] : []),
    // Servers may be configured to print floating-point numbers with fewer digits than they store.
    ...(isShortened ? [set("extra_float_digits = 1")] : []),
    // The check that follows reads the rows while the lock is held.
    statement("lock_table", `LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`, {
      ...subject,
      rows: "scan",
    }),
    question({ object: target.pathOf(now), table: name, column, value, from, to }, conversion),
    change,
    ...(isForced ? [set("row_security TO DEFAULT"), security("FORCE")] : []),
  ];
}

/** The effect of a change of a column's type on the rows. */
function workOf({ base, target, old, now }: Retyping): Work {
  const isCollated = old.values.collation !== now.values.collation;
  if (old.values.type === now.values.type) return isCollated ? "scan" : "rewrite";
  const { isInPlace = false } = conversionOf(typeIn(base, old), typeIn(target, now));
  if (!isInPlace) return "rewrite";
  // The column's indexes are rebuilt.
  return isCollated ? "scan" : "instant";
}

function typeIn(schema: PostgresSchema, { values }: PostgresObject<"Column">): ColumnType {
  return columnType(schema, values.type);
}

/**
 * Whether PostgreSQL casts the values with an assignment cast, so that no USING clause is needed.
 */
function isAssigned(from: ColumnType, to: ColumnType, { outcome, isInPlace }: Conversion): boolean {
  if (outcome !== "kept") return false;
  if (isInPlace === true) return true;
  return from.isArray === to.isArray && NUMBERS.has(from.name) && NUMBERS.has(to.name);
}

interface Question {
  readonly object: string;
  readonly table: string;
  readonly column: string;
  readonly value: string;
  readonly from: ColumnType;
  readonly to: ColumnType;
}

function question(given: Question, { reason, comparison }: Conversion): RowQuestion {
  const { object, table, column, value, from, to } = given;
  const changed = `FROM ${table} WHERE ${changes(given, comparison ?? "round trip")}`;
  const example = `${shown(column, from)} || ' → ' || ${shown(value, to)}`;
  return {
    object,
    consequence: `of its values would change when converted to ${to.text}: ${reason}`,
    count: `SELECT count(*) AS count ${changed}`,
    examples: `SELECT ${example} AS example ${changed} LIMIT ${EXAMPLES_MAX}`,
  };
}

function changes({ column, value, from, to }: Question, comparison: Comparison): string {
  const back = (): string => cast(`(${value})`, to.text, from.text);
  // The old type may have a temporary name by now, to free its name for the new type.
  switch (comparison === "round trip" && from.name.includes(".") ? "text" : comparison) {
    case "round trip":
      return `NOT (ROW(${column})::record OPERATOR(pg_catalog.*=) ROW(${back()})::record)`;
    case "number":
      return `${column} IS DISTINCT FROM ${back()}`;
    case "integer":
      return (
        `CASE WHEN abs((${value})::double precision) < 9e18 ` +
        `THEN (${value})::bigint IS DISTINCT FROM ${column} ELSE ${column} IS NOT NULL END`
      );
    case "text":
      return `${column}::text COLLATE "C" IS DISTINCT FROM (${value})::text COLLATE "C"`;
    case "UTC": {
      const read = `((${value}) AT TIME ZONE 'UTC')`;
      return `${column} IS DISTINCT FROM ${from.name.startsWith("time ") ? `${read}::time` : read}`;
    }
  }
}

function shown(value: string, { name }: ColumnType): string {
  const text = `left((${value})::text, ${EXAMPLE_LENGTH_MAX})`;
  return TEXTS.has(name) ? `quote_literal(${text})` : text;
}
