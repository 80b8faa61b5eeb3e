import { sameValue } from "../model/schema-diff.js";
import type { PartOf, PostgresObject, PostgresSchema } from "../model/schema.js";
import type { Statement, Work } from "../model/commands.js";
import { defaultAction } from "./alter-column.js";
import {
  alteringColumn,
  alteringTable,
  commentOn,
  on,
  type PlainCommand,
  statement,
} from "./commands.js";
import { inheritedColumn } from "./parents/inheritance.js";
import { qualified, quoteName, wordOf } from "./objects/names.js";
import { needsOf } from "./objects/dependency-order.js";
import type { MatchedObject, RebuildPlan } from "./rebuild-plan.js";

/** The storage settings of a column. */
export interface Settings {
  readonly columnStorage?: string;
  readonly compression?: string;
  readonly statisticsTarget?: string;
  readonly options?: string;
}

/** Settings of a column that is recorded as a detail of its table: an inherited one, or a view's. */
type ColumnDetail = Partial<PartOf<"columnDetails">>;

/** Makes a statement that alters a column: `SET STATISTICS 500`. */
type AlterColumn = (command: "alter_column" | "set_column_options", action: string) => Statement;

/** The statements that change a column's storage settings. */
export function columnSettings(
  target: PostgresSchema,
  old: Settings | undefined,
  now: PostgresObject<"Column">,
): readonly Statement[] {
  const table = target.above(now);
  const isParent = (): boolean =>
    target.all("Table").some(({ values }) => inheritsFrom(values, table.id));
  return settings(
    (command, action) => {
      if (!isParent()) return alteringColumn(command, target, now, action);
      // Without ONLY, the storage and the statistics target of children's columns would change too.
      const sql = `ALTER TABLE ONLY ${qualified(target, table)} ALTER COLUMN ${quoteName(now.name)} ${action}`;
      return statement(command, sql, on(target, now));
    },
    now.values.type,
    old ?? {},
    now.values,
  );
}

function inheritsFrom({ inherits = [] }: PostgresObject["values"], table: string): boolean {
  return inherits.some((part) => part.table.ref === table);
}

function settings(
  alter: AlterColumn,
  type: string | undefined,
  before: Settings,
  after: Settings,
): readonly Statement[] {
  const isChanged = (property: keyof Settings): boolean => before[property] !== after[property];
  const options = after.options;
  const had = before.options;
  return [
    ...(isChanged("columnStorage")
      ? [alter("alter_column", `SET STORAGE ${after.columnStorage ?? usualStorage(type)}`)]
      : []),
    ...(isChanged("compression")
      ? [alter("alter_column", `SET COMPRESSION ${after.compression ?? "default"}`)]
      : []),
    ...(isChanged("statisticsTarget")
      ? [alter("set_column_options", `SET STATISTICS ${after.statisticsTarget ?? "-1"}`)]
      : []),
    ...(isChanged("options") && had !== undefined
      ? [alter("set_column_options", `RESET (${had.replaceAll(/=[^,]*/g, "")})`)]
      : []),
    ...(isChanged("options") && options !== undefined
      ? [alter("set_column_options", `SET (${options})`)]
      : []),
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
  base: PostgresSchema,
  target: PostgresSchema,
  old: PostgresObject | undefined,
  now: PostgresObject,
  rebuild: RebuildPlan,
): readonly Statement[] {
  const had = (old?.values.columnDetails ?? []).map((part): ColumnDetail => {
    const { label } = part;
    return { ...part, label: old === undefined ? label : rebuild.labelNow(old, label) };
  });
  const has = now.values.columnDetails ?? [];
  const keyed = old === undefined ? [] : keyColumns(base, old, rebuild);
  const freed = old === undefined ? [] : freedDefaults(base, target, rebuild, { old, now });
  const labels = new Set([...[...had, ...has].flatMap(({ label }) => label ?? []), ...keyed]);
  return [...labels].flatMap((label) => {
    const find = (parts: readonly ColumnDetail[]): ColumnDetail =>
      parts.find((part) => part.label === label) ?? {};
    const [said, after] = [find(had), find(has)];
    const before = freed.includes(label) ? { ...said, default: NO_DEFAULT } : said;
    // ALTER on a parent's column also applies to the children's columns.
    const above = inheritedColumn(target, now, label);
    // The column was dropped with the parent's column.
    if (above === undefined && now.kind === "Table") return [];
    const wasAbove = above === undefined ? undefined : base.find(above.id);
    const isTouched = above !== undefined && rebuild.touched.has(above.id);
    const isOverruled =
      above !== undefined && old !== undefined && (isTouched || !sameKeeping(wasAbove, above));
    const isNullAbove = wasAbove?.values.notNull === true && above?.values.notNull !== true;
    const isFreed = keyed.includes(label) && isNullAbove;
    if (sameValue([before], [after]) && !isOverruled && !isFreed) return [];
    return changeDetail(target, now, label, {
      before: isOverruled ? leftOf(before, wasAbove, above) : before,
      after,
      above,
      isOverruled,
      isFreed,
    });
  });
}

/** A child's detail after a change of the parent's column, which sets or drops its default too. */
function leftOf(
  { default: preset, notNull }: ColumnDetail,
  before: PostgresObject | undefined,
  after: PostgresObject,
): ColumnDetail {
  const isSet = [before, after].some((column) => column?.values.default !== undefined);
  return {
    ...(isSet || preset === undefined ? {} : { default: preset }),
    ...(notNull === undefined ? {} : { notNull }),
  };
}

/** The detail of a column without a default, although the parent's has one. */
const NO_DEFAULT = "NULL";

/**
 * Drops the defaults of inherited columns early that need an object which goes, such as the
 * sequence of a former serial column.
 */
export function dropFreedDefaults(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
): readonly Statement[] {
  return rebuild.matched.flatMap(({ old, now }) =>
    freedDefaults(base, target, rebuild, { old, now }).map((label) => {
      const action = `ALTER COLUMN ${quoteName(label)} DROP DEFAULT`;
      return alteringTable("alter_column", target, now, action);
    }),
  );
}

function freedDefaults(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
  { old, now }: MatchedObject,
): readonly string[] {
  if (now.kind !== "Table" || rebuild.isFresh(now)) return [];
  const isGoing = needsOf(old).some((id) => {
    const needed = base.find(id);
    const isWhole = needed?.kind !== "Table" && needed?.kind !== "Column";
    return needed !== undefined && isWhole && rebuild.isDropped(needed);
  });
  if (!isGoing) return [];
  return (old.values.columnDetails ?? [])
    .filter((part) => part.default !== undefined && part.default !== NO_DEFAULT)
    .map(({ label }) => rebuild.labelNow(old, label))
    .filter((label) => inheritedColumn(target, now, label) !== undefined);
}

interface Detail {
  readonly before: ColumnDetail;
  readonly after: ColumnDetail;
  readonly above: PostgresObject | undefined;
  readonly isOverruled: boolean;
  /** Whether NOT NULL must be set on the table again. */
  readonly isFreed: boolean;
}

/**
 * Columns of a child's own primary key. From PostgreSQL 18 on, they stay NOT NULL when the parent's
 * columns become nullable. In earlier versions they follow the parent's columns.
 */
function keyColumns(
  base: PostgresSchema,
  table: PostgresObject,
  rebuild: RebuildPlan,
): readonly string[] {
  if (table.values.inherits === undefined) return [];
  return base.partsOf(table.id, "PrimaryKey").flatMap(({ values }) =>
    values.columns.flatMap((part) => {
      const label = part.columnName;
      return label === undefined ? [] : [rebuild.labelNow(table, label)];
    }),
  );
}

function changeDetail(
  schema: PostgresSchema,
  object: PostgresObject,
  label: string,
  { before, after, above, isOverruled, isFreed }: Detail,
): readonly Statement[] {
  const name = qualified(schema, object);
  const head = `ALTER ${wordOf(object)} ${name} ALTER COLUMN ${quoteName(label)}`;
  const { table } = on(schema, object);
  const subject = { object: `${schema.pathOf(object)}.${label}`, table };
  const alter = (command: PlainCommand, action: string, rows: Work = "instant"): Statement =>
    object.kind === "Table"
      ? statement(command, `${head} ${action}`, { ...subject, rows })
      : statement("alter_view", `${head} ${action}`, subject);
  const preset = after.default ?? above?.values.default;
  const expression = after.generated ?? above?.values.generated;
  const isStrict = after.notNull ?? above?.values.notNull === true;
  return [
    ...(before.default === after.default ? [] : [alter("alter_column", defaultAction(preset))]),
    ...(before.notNull === after.notNull && !isFreed
      ? []
      : [
          isStrict
            ? alter("set_not_null", "SET NOT NULL", "scan")
            : alter("alter_column", "DROP NOT NULL"),
        ]),
    ...(before.generated === after.generated || expression === undefined
      ? []
      : [alter("alter_column", `SET EXPRESSION AS (${expression})`)]),
    ...(before.foreignOptions === undefined && after.foreignOptions !== undefined
      ? [alter("alter_column", `OPTIONS (ADD ${after.foreignOptions})`)]
      : []),
    ...(before.comment === after.comment && !isOverruled
      ? []
      : [commentOn(`COLUMN ${name}.${quoteName(label)}`, subject, after.comment)]),
    ...settings(alter, above?.values.type, before, after),
  ];
}

function sameKeeping(old: PostgresObject | undefined, now: PostgresObject): boolean {
  const told = ["default", "type"] as const;
  return old !== undefined && told.every((each) => sameValue(old.values[each], now.values[each]));
}
