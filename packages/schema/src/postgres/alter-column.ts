import { assert } from "@steward/kernel/assert.js";
import type { Step } from "../model/row-check.js";
import type { PostgresObject } from "../model/schema.js";
import type { PropertyName } from "../model/vocabulary.js";
import { quoteName, quoteText } from "./objects/names.js";
import { identityOptions, notNullState } from "./statements.js";

/**
 * Statements that alter a column: in the main transaction, after it, and in a transaction at the
 * very end.
 */
export interface ColumnChange {
  readonly now: readonly Step[];
  readonly after: readonly string[];
  readonly last: readonly string[];
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
  table: string,
  old: PostgresObject<"Column">,
  column: PostgresObject<"Column">,
  changed: readonly PropertyName[],
  retyping: readonly Step[] | undefined,
): ColumnChange {
  const { name, values } = column;
  const head = `ALTER TABLE ${table} ALTER COLUMN ${quoteName(name)}`;
  const preset = values.default;
  const isDefaultNew = changed.includes("default") || (retyping && preset) !== undefined;
  const isStrictnessNew = changed.includes("notNull") || changed.includes("notNullState");
  const strictness = isStrictnessNew
    ? notNull(table, head, old, column, changed.includes("identity"))
    : undefined;
  return {
    now: [
      ...(retyping ?? []),
      ...(isDefaultNew
        ? [`${head} ${preset === undefined ? "DROP DEFAULT" : `SET DEFAULT ${preset}`}`]
        : []),
      ...(strictness?.now ?? []),
      ...identityChange(head, old, column, changed),
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
  table: string,
  head: string,
  old: PostgresObject<"Column">,
  column: PostgresObject<"Column">,
  isIdentityNew: boolean,
): ColumnChange {
  const { name, values } = column;
  const isDropped =
    old.values.notNull === true &&
    (values.notNull !== true || values.notNullState !== undefined || isNotInherited(old));
  const dropped = isDropped ? [`${head} DROP NOT NULL`] : [];
  const more = { after: [], last: [] };
  if (values.notNull !== true) return { now: dropped, ...more };
  if (values.notNullState !== undefined) {
    return { now: [...dropped, ...notNullState(table, column)], ...more };
  }
  if (isIdentityNew) return { now: [...dropped, `${head} SET NOT NULL`], ...more };
  const check = quoteName(`_steward_not_null_${name}`.slice(0, 63));
  const checked = `CHECK (${quoteName(name)} IS NOT NULL) NOT VALID`;
  return {
    now: [...dropped, `ALTER TABLE ${table} ADD CONSTRAINT ${check} ${checked}`],
    after: [`ALTER TABLE ${table} VALIDATE CONSTRAINT ${check}`],
    last: [`${head} SET NOT NULL`, `ALTER TABLE ${table} DROP CONSTRAINT ${check}`],
  };
}

function isNotInherited({ values }: PostgresObject): boolean {
  return values.notNullState?.includes("NO INHERIT") === true;
}

function identityChange(
  head: string,
  old: PostgresObject,
  { values }: PostgresObject,
  changed: readonly PropertyName[],
): readonly string[] {
  const identity = values.identity?.toUpperCase();
  if (identity === undefined) return [];
  const options = identityOptions(values);
  if (old.values.identity === undefined) {
    const given = options === undefined ? "" : ` (${options})`;
    return [`${head} ADD GENERATED ${identity} AS IDENTITY${given}`];
  }
  return [
    ...(changed.includes("identity") ? [`${head} SET GENERATED ${identity}`] : []),
    ...(changed.includes("sequenceOptions") && options !== undefined
      ? [`${head} ${settingsOf(options)}${restart(old, options)}`]
      : []),
  ];
}

/** Sequence options as ALTER COLUMN sets them. */
function settingsOf(options: string): string {
  return options
    .replaceAll(/(START WITH|INCREMENT BY|MINVALUE|MAXVALUE|CACHE|NO CYCLE|CYCLE)/g, "SET $1")
    .replaceAll("SET NO SET CYCLE", "SET NO CYCLE");
}

/** Sets a new sequence to continue after the highest value of its column. */
export function goOnCounting(table: string, { name }: PostgresObject<"Column">): string {
  const sequence = `pg_catalog.pg_get_serial_sequence(${quoteText(table)}, ${quoteText(name)})`;
  return `SELECT pg_catalog.setval(${sequence}, pg_catalog.max(${quoteName(name)})) FROM ${table}`;
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
