import { sameValue } from "../model/schema-diff.js";
import {
  isSet,
  type Part,
  partsIn,
  type Schema,
  type SchemaObject,
  textOf,
  type Values,
} from "../model/schema.js";
import { inheritedColumn } from "./objects/inheritance.js";
import { qualified, quoteName, quoteText, wordOf } from "./objects/names.js";
import type { RebuildPlan } from "./rebuild-plan.js";

/** The storage settings of a column. */
export type Settings = Values | Part;

/** The statements that change a column's storage settings. */
export function settings(
  head: string,
  type: string | undefined,
  before: Settings,
  after: Settings,
): readonly string[] {
  const isChanged = (property: keyof Values): boolean => before[property] !== after[property];
  const options = textOf(after, "options");
  const had = textOf(before, "options");
  return [
    ...(isChanged("columnStorage")
      ? [`${head} SET STORAGE ${textOf(after, "columnStorage") ?? usualStorage(type)}`]
      : []),
    ...(isChanged("compression")
      ? [`${head} SET COMPRESSION ${textOf(after, "compression") ?? "default"}`]
      : []),
    ...(isChanged("statisticsTarget")
      ? [`${head} SET STATISTICS ${textOf(after, "statisticsTarget") ?? "-1"}`]
      : []),
    ...(isChanged("options") && had !== undefined
      ? [`${head} RESET (${had.replaceAll(/=[^,]*/g, "")})`]
      : []),
    ...(isChanged("options") && options !== undefined ? [`${head} SET (${options})`] : []),
  ];
}

/** The default storage strategy of a type that supports several. */
function usualStorage(type = ""): string {
  return /^(numeric|inet|cidr)/.test(type) ? "MAIN" : "EXTENDED";
}

/**
 * The settings of columns that are not an object's own: columns of a view, or inherited columns.
 */
export function inheritedColumnSettings(
  base: Schema,
  target: Schema,
  old: SchemaObject | undefined,
  now: SchemaObject,
  rebuild: RebuildPlan,
): readonly string[] {
  const had = partsIn(old?.values ?? {}, "columnDetails").map((part): Part => {
    const label = textOf(part, "label") ?? "";
    return { ...part, label: old === undefined ? label : rebuild.labelNow(old, label) };
  });
  const has = partsIn(now.values, "columnDetails");
  const keyed = old === undefined ? [] : keyColumns(base, old, rebuild);
  const labels = new Set([
    ...[...had, ...has].map((part) => textOf(part, "label") ?? ""),
    ...keyed,
  ]);
  return [...labels].flatMap((label) => {
    const find = (parts: readonly Part[]): Part =>
      parts.find((part) => textOf(part, "label") === label) ?? {};
    const [before, after] = [find(had), find(has)];
    // ALTER on a parent's column also applies to the children's columns.
    const above = inheritedColumn(target, now, label);
    // The column was dropped with the parent's column.
    if (above === undefined && now.kind === "Table") return [];
    const wasAbove = above === undefined ? undefined : base.find(above.id);
    const isOverruled = above !== undefined && old !== undefined && !sameKeeping(wasAbove, above);
    const isNullAbove = wasAbove?.values.notNull === true && above?.values.notNull !== true;
    const isFreed = keyed.includes(label) && isNullAbove;
    if (sameValue([before], [after]) && !isOverruled && !isFreed) return [];
    return changeDetail(target, now, label, {
      before: isOverruled ? {} : before,
      after,
      above,
      isOverruled,
      isFreed,
    });
  });
}

interface Detail {
  readonly before: Part;
  readonly after: Part;
  readonly above: SchemaObject | undefined;
  readonly isOverruled: boolean;
  /** Whether NOT NULL must be set on the table again. */
  readonly isFreed: boolean;
}

/**
 * Columns of a child's own primary key. From PostgreSQL 18 on, they stay NOT NULL when the parent's
 * columns become nullable. In earlier versions they follow the parent's columns.
 */
function keyColumns(base: Schema, table: SchemaObject, rebuild: RebuildPlan): readonly string[] {
  if (table.values.inherits === undefined) return [];
  return base.partsOf(table.id, "PrimaryKey").flatMap(({ values }) =>
    partsIn(values, "columns").flatMap((part) => {
      const label = textOf(part, "columnName");
      return label === undefined ? [] : [rebuild.labelNow(table, label)];
    }),
  );
}

function changeDetail(
  schema: Schema,
  object: SchemaObject,
  label: string,
  { before, after, above, isOverruled, isFreed }: Detail,
): readonly string[] {
  const name = qualified(schema, object);
  const head = `ALTER ${wordOf(object)} ${name} ALTER COLUMN ${quoteName(label)}`;
  const preset = textOf(after, "default") ?? textOf(above?.values ?? {}, "default");
  const text = textOf(after, "comment");
  return [
    ...(before.default === after.default
      ? []
      : [`${head} ${preset === undefined ? "DROP DEFAULT" : `SET DEFAULT ${preset}`}`]),
    ...(before.notNull === after.notNull && !isFreed
      ? []
      : [
          `${head} ${(after.notNull ?? isSet(above?.values ?? {}, "notNull")) === true ? "SET" : "DROP"} NOT NULL`,
        ]),
    ...(before.generated === after.generated
      ? []
      : [
          `${head} SET EXPRESSION AS (${textOf(after, "generated") ?? textOf(above?.values ?? {}, "generated") ?? ""})`,
        ]),
    ...(before.foreignOptions === undefined && after.foreignOptions !== undefined
      ? [`${head} OPTIONS (ADD ${textOf(after, "foreignOptions") ?? ""})`]
      : []),
    ...(before.comment === after.comment && !isOverruled
      ? []
      : [
          `COMMENT ON COLUMN ${name}.${quoteName(label)} IS ${text === undefined ? "NULL" : quoteText(text)}`,
        ]),
    ...settings(head, textOf(above?.values ?? {}, "type"), before, after),
  ];
}

function sameKeeping(old: SchemaObject | undefined, now: SchemaObject): boolean {
  const told = ["default", "columnStorage", "compression", "statisticsTarget", "type"] as const;
  return old !== undefined && told.every((each) => sameValue(old.values[each], now.values[each]));
}
