import {
  EXAMPLE_LENGTH_MAX,
  EXAMPLES_MAX,
  type RowQuestion,
  type Step,
} from "../../model/row-check.js";
import type { Statement, Work } from "../../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { alteringTable, on, statement } from "../commands.js";
import { needsOf } from "../objects/dependency-order.js";
import { isForeign, qualified, quoteName } from "../objects/names.js";
import type { RebuildPlan } from "../rebuild-plan.js";
import { attributeCarrier } from "./attribute-carrier.js";
import { cast } from "./casts.js";
import { type Comparison, type Conversion, conversionOf } from "./conversions.js";
import { NUMBERS } from "./numbers.js";
import { TEXTS } from "./texts.js";
import { type ColumnType, columnType } from "./type-name.js";

/** A composite type's attributes go by their names. */
const RESHAPED: Conversion = {
  outcome: "checked",
  comparison: "text",
  reason: "an attribute's value may change",
  isInPlace: false,
};

/** A column before and after its type changes, and the schemas that describe it. */
export interface Retyping {
  readonly base: PostgresSchema;
  readonly target: PostgresSchema;
  readonly old: PostgresObject<"Column">;
  readonly now: PostgresObject<"Column">;
  /** Whether a type that the column uses is recreated under its name. */
  readonly isReplaced: boolean;
  /** Whether a composite type that the column stores is recreated with other attributes. */
  readonly isReshaped: boolean;
  /** Whether the column has become text, until what it stores has been altered. */
  readonly isParked: boolean;
}

/** The change of the type of a column that the plan touches. */
export function retypingOf(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
  old: PostgresObject<"Column">,
  now: PostgresObject<"Column">,
): Retyping {
  return {
    ...{ base, target, old, now },
    isReplaced: needsOf(old).some((id) => rebuild.replaced.has(id)),
    isReshaped: rebuild.reshaped.has(now.id),
    isParked: rebuild.parked.has(now.id),
  };
}

/** The effect of a column's type change on its values. */
export function conversionIn(retyping: Retyping): Conversion {
  if (retyping.isReshaped) return RESHAPED;
  return conversionOf(
    typeBefore(retyping),
    typeIn(retyping.target, retyping.now),
    retyping.isReplaced,
  );
}

/**
 * The steps that change a column's type. When values may change without an error, the rows are
 * checked first, under the lock that ALTER TABLE needs anyway.
 */
export function changeType(retyping: Retyping): readonly Step[] {
  const { target, now, isReshaped } = retyping;
  const table = target.get(now.parent);
  const name = qualified(target, table);
  const [from, to] = [typeBefore(retyping), typeIn(target, now)];
  const conversion = conversionIn(retyping);
  const column = quoteName(now.name);
  const carrier = isReshaped ? attributeCarrier(retyping) : undefined;
  const value = carrier?.value ?? cast(column, from.text, now.values.type, to.text);
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
  const isFloat = ["real", "double precision"].includes(from.name);
  const isShortened = (isFloat && TEXTS.has(to.name)) || retyping.isReplaced;
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
    ...(carrier === undefined ? [] : [carrier.make]),
    question(
      { object: target.pathOf(now), table: name, column, value, back: carrier?.back, from, to },
      conversion,
    ),
    change,
    ...(carrier === undefined ? [] : [carrier.drop]),
    ...(isForced ? [set("row_security TO DEFAULT"), security("FORCE")] : []),
  ];
}

/** The effect of a change of a column's type on the rows. */
function workOf(retyping: Retyping): Work {
  const { target, old, now } = retyping;
  const isCollated = old.values.collation !== now.values.collation;
  if (old.values.type === now.values.type) return isCollated ? "scan" : "rewrite";
  const { isInPlace = false } = conversionOf(typeBefore(retyping), typeIn(target, now));
  if (!isInPlace) return "rewrite";
  // The column's indexes are rebuilt.
  return isCollated ? "scan" : "instant";
}

/** The column's type when the statements begin. */
function typeBefore({ base, old, isParked }: Retyping): ColumnType {
  return isParked ? columnType(base, "text") : typeIn(base, old);
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
  /** The value in a type whose text is to be the same; by default the new type. */
  readonly back: string | undefined;
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

function changes(given: Question, comparison: Comparison): string {
  const { column, value, from, to } = given;
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
      return `${column}::text COLLATE "C" IS DISTINCT FROM (${given.back ?? value})::text COLLATE "C"`;
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
