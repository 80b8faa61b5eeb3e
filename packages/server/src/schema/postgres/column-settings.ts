import { sameValue } from "../schema-diff.js";
import {
  isSet,
  type Part,
  partsIn,
  type Schema,
  type SchemaObject,
  textOf,
  type Values,
} from "../schema.js";
import { inheritedColumn } from "./inheritance.js";
import { qualified, quoteName, quoteText, wordOf } from "./names.js";
import type { Remaking } from "./remaking.js";

/** What a column, or a part that speaks of one, may say of how it is kept. */
export type Settings = Values | Part;

/** The statements that lead from how a column's values are kept to how they are to be. */
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

/** How values of a type are stored that can be stored in more ways than one. */
function usualStorage(type = ""): string {
  return /^(numeric|inet|cidr)/.test(type) ? "MAIN" : "EXTENDED";
}

/** What is said of columns that are none of the object's own: a view's, or inherited ones. */
export function inheritedDetails(
  base: Schema,
  target: Schema,
  old: SchemaObject | undefined,
  now: SchemaObject,
  remaking: Remaking,
): readonly string[] {
  const had = partsIn(old?.values ?? {}, "columnDetails").map((part): Part => {
    const label = textOf(part, "label") ?? "";
    return { ...part, label: old === undefined ? label : remaking.labelNow(old, label) };
  });
  const has = partsIn(now.values, "columnDetails");
  const keyed = old === undefined ? [] : keyColumns(base, old, remaking);
  const labels = new Set([
    ...[...had, ...has].map((part) => textOf(part, "label") ?? ""),
    ...keyed,
  ]);
  return [...labels].flatMap((label) => {
    const find = (parts: readonly Part[]): Part =>
      parts.find((part) => textOf(part, "label") === label) ?? {};
    const [before, after] = [find(had), find(has)];
    // What is said of a parent's column is said of its children's as well.
    const above = inheritedColumn(target, now, label);
    // The column has gone with the parent's.
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
  /** Whether the table must be told again if the column is NOT NULL. */
  readonly isFreed: boolean;
}

/**
 * Columns of a child's own primary key. From PostgreSQL 18 on they stay NOT NULL by themselves when the
 * parent's no longer are; before, they follow the parent's.
 */
function keyColumns(base: Schema, table: SchemaObject, remaking: Remaking): readonly string[] {
  if (table.values.inherits === undefined) return [];
  return base.partsOf(table.id, "PrimaryKey").flatMap(({ values }) =>
    partsIn(values, "columns").flatMap((part) => {
      const label = textOf(part, "columnName");
      return label === undefined ? [] : [remaking.labelNow(table, label)];
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
