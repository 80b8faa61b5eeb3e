import { assert } from "@steward/kernel/assert.js";
import type { Step } from "../model/row-check.js";
import type { Statement, Work } from "../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../model/schema.js";
import type { PropertyName } from "../model/vocabulary.js";
import { onOf, quoteName, quoteText } from "./objects/names.js";
import { alteringColumn, alteringTable, on, type PlainCommand, statement } from "./commands.js";
import { identityOptions, notNullState } from "./table-statements.js";

/**
 * Statements that alter a column: in the main transaction, after it, and in a transaction at the
 * very end.
 */
export interface ColumnChange {
  readonly now: readonly Step[];
  readonly after: readonly Statement[];
  readonly last: readonly Statement[];
}

/** Whether one of the changed properties changes the column's type. */
export function typeChangeOf(changed: readonly PropertyName[]): boolean {
  return changed.includes("type") || changed.includes("collation");
}

/**
 * @param retyping the change of the column's type, which may keep the type's name; undefined when
 * the type does not change.
 */
export function alterColumn(
  target: PostgresSchema,
  old: PostgresObject<"Column">,
  column: PostgresObject<"Column">,
  changed: readonly PropertyName[],
  retyping: readonly Step[] | undefined,
): ColumnChange {
  const preset = column.values.default;
  const isDefaultNew = changed.includes("default") || (retyping && preset) !== undefined;
  const isStrictnessNew = changed.includes("notNull") || changed.includes("notNullState");
  const strictness = isStrictnessNew
    ? notNull(target, old, column, changed.includes("identity"))
    : undefined;
  return {
    now: [
      ...(retyping ?? []),
      ...(isDefaultNew
        ? [alteringColumn("alter_column", target, column, defaultAction(preset))]
        : []),
      ...(strictness?.now ?? []),
      ...identityChange(target, old, column, changed),
    ],
    after: strictness?.after ?? [],
    last: strictness?.last ?? [],
  };
}

/**
 * Validates a CHECK constraint first, so that SET NOT NULL need not scan the rows under its
 * exclusive lock.
 */
function notNull(
  target: PostgresSchema,
  old: PostgresObject<"Column">,
  column: PostgresObject<"Column">,
  isIdentityNew: boolean,
): ColumnChange {
  const { name, values } = column;
  const isDropped =
    old.values.notNull === true &&
    (values.notNull !== true || values.notNullState !== undefined || isNotInherited(old));
  const dropped = isDropped
    ? [alteringColumn("alter_column", target, column, "DROP NOT NULL")]
    : [];
  const more = { after: [], last: [] };
  if (values.notNull !== true) return { now: dropped, ...more };
  if (values.notNullState !== undefined) {
    return { now: [...dropped, ...notNullState(target, column)], ...more };
  }
  if (isIdentityNew) {
    const checking = alteringColumn("set_not_null", target, column, "SET NOT NULL", "scan");
    return { now: [...dropped, checking], ...more };
  }
  const check = quoteName(`_steward_not_null_${name}`.slice(0, 63));
  const checked = `CHECK (${quoteName(name)} IS NOT NULL) NOT VALID`;
  const alter = (command: PlainCommand, action: string, rows: Work = "instant"): Statement =>
    alteringTable(command, target, column, `${action} CONSTRAINT ${check}`, { rows });
  return {
    now: [
      ...dropped,
      alteringTable("add_constraint", target, column, `ADD CONSTRAINT ${check} ${checked}`),
    ],
    after: [alter("validate_constraint", "VALIDATE", "scan")],
    last: [
      alteringColumn("set_not_null", target, column, "SET NOT NULL"),
      alter("drop_constraint", "DROP"),
    ],
  };
}

/** The action that gives a column or domain its default, or takes it away. */
export function defaultAction(preset: string | undefined): string {
  return preset === undefined ? "DROP DEFAULT" : `SET DEFAULT ${preset}`;
}

function isNotInherited({ values }: PostgresObject): boolean {
  return values.notNullState?.includes("NO INHERIT") === true;
}

function identityChange(
  target: PostgresSchema,
  old: PostgresObject,
  column: PostgresObject<"Column">,
  changed: readonly PropertyName[],
): readonly Statement[] {
  const identity = column.values.identity?.toUpperCase();
  if (identity === undefined) return [];
  const options = identityOptions(column.values);
  const given = options === undefined ? "" : ` (${options})`;
  const actions =
    old.values.identity === undefined
      ? [`ADD GENERATED ${identity} AS IDENTITY${given}`]
      : [
          ...(changed.includes("identity") ? [`SET GENERATED ${identity}`] : []),
          ...(changed.includes("sequenceOptions") && options !== undefined
            ? [`${settingsOf(options)}${restart(old, options)}`]
            : []),
        ];
  return actions.map((action) => alteringColumn("alter_identity", target, column, action));
}

/** Sequence options as ALTER COLUMN sets them. */
function settingsOf(options: string): string {
  return options
    .replaceAll(/(START WITH|INCREMENT BY|MINVALUE|MAXVALUE|CACHE|NO CYCLE|CYCLE)/g, "SET $1")
    .replaceAll("SET NO SET CYCLE", "SET NO CYCLE");
}

/** Sets a new sequence to continue after the highest value of its column. */
export function goOnCounting(schema: PostgresSchema, column: PostgresObject<"Column">): Statement {
  const table = onOf(schema, column);
  const { name } = column;
  const sequence = `pg_catalog.pg_get_serial_sequence(${quoteText(table)}, ${quoteText(name)})`;
  const sql = `SELECT pg_catalog.setval(${sequence}, pg_catalog.max(${quoteName(name)})) FROM ${table}`;
  return statement("advance_sequence", sql, { ...on(schema, column), rows: "scan" });
}

/** The options of a sequence, or of an identity column's sequence. */
export function optionsOf({ id, values }: PostgresObject): string {
  assert(values.sequenceOptions !== undefined, `the object ${id} has sequence options`);
  return values.sequenceOptions;
}

/** Restarts a sequence whose current value is outside its new bounds. */
export function restart(old: PostgresObject, options: string): string {
  const number = (text: string, word: string): number =>
    Number(new RegExp(`${word} (-?\\d+)`).exec(text)?.[1] ?? 0);
  const start = number(optionsOf(old), "START WITH");
  const isInside = start >= number(options, "MINVALUE") && start <= number(options, "MAXVALUE");
  return isInside ? "" : " RESTART";
}
