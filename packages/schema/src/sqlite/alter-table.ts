import { inOrder } from "../model/column-order.js";
import type { Statement } from "../model/commands.js";
import type { Step } from "../model/row-check.js";
import { changesBetween, sameValue } from "../model/schema-diff.js";
import { nameOf, type SqliteObject, type SqliteSchema } from "../model/schema.js";
import { tokensOf } from "../sql/sql-tokens.js";
import { type CopiedColumn, isRowid, questionFor } from "./conversions.js";
import { statement } from "./commands.js";
import { namesIn, quoteName, renameIn, spell } from "./expression.js";
import {
  type SqliteConstraint,
  columnClause,
  constraintClause,
  createTable,
  referenceClause,
} from "./statements.js";

/** How a table changes: in place by ALTER TABLE where SQLite can, otherwise by rebuilding it. */
export interface TableChange {
  readonly before: SqliteObject<"Table">;
  readonly after: SqliteObject<"Table">;
  readonly renamedColumns: readonly { readonly from: string; readonly to: string }[];
  readonly isRebuild: boolean;
  readonly dropped: readonly SqliteObject<"Column">[];
  readonly added: readonly SqliteObject<"Column">[];
  /** Constraints defined together with an added column. */
  readonly inline: ReadonlyMap<string, readonly SqliteConstraint[]>;
}

const CONSTRAINTS = ["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const;

/**
 * The change of a table that both schemas have; undefined when nothing changes but perhaps the
 * name.
 */
export function tableChange(
  base: SqliteSchema,
  target: SqliteSchema,
  before: SqliteObject<"Table">,
  after: SqliteObject<"Table">,
): TableChange | undefined {
  const old = base.partsOf(before.id, "Column");
  const now = target.partsOf(after.id, "Column");
  const dropped = old.filter(({ id }) => target.find(id) === undefined);
  const added = inOrder(now.filter(({ id }) => base.find(id) === undefined));
  const kept = now.flatMap((column) => {
    const was = base.find(column.id);
    return was?.kind === "Column" ? [{ was, column }] : [];
  });
  const renamedColumns = kept.flatMap(({ was, column }) =>
    was.name === column.name ? [] : [{ from: was.name, to: column.name }],
  );
  const names = new Map(renamedColumns.map(({ from, to }) => [from.toLowerCase(), to]));
  const { gone, come } = constraintChanges(base, target, before, after, names);
  const inline = inlineConstraints(added, come);
  const isRebuild =
    changesBetween(before, after).length > 0 ||
    kept.some(({ was, column }) => isColumnAltered(was, column, names)) ||
    gone.length > 0 ||
    come.length > [...inline.values()].flat().length ||
    added.some((column) => !canAdd(column, inline.get(column.id) ?? [])) ||
    dropped.some((column) => !canDrop(base, before, column)) ||
    (dropped.length > 0 && dropped.length === old.length);
  if (!isRebuild && renamedColumns.length + dropped.length + added.length === 0) return undefined;
  return { before, after, renamedColumns, isRebuild, dropped, added, inline };
}

function isColumnAltered(
  was: SqliteObject<"Column">,
  column: SqliteObject<"Column">,
  names: ReadonlyMap<string, string>,
): boolean {
  return changesBetween(was, column).some(
    ({ property, before, after }) =>
      property !== "generated" || renamedText(before, names) !== renamedText(after, new Map()),
  );
}

/** An expression with renamed identifiers, spelled as SQLite itself would. */
function renamedText(value: unknown, names: ReadonlyMap<string, string>): string {
  return spell(renameIn(tokensOf(typeof value === "string" ? value : ""), names));
}

/**
 * Constraints that only one of the schemas has. Constraints that differ only by renamed columns are
 * equal.
 */
function constraintChanges(
  base: SqliteSchema,
  target: SqliteSchema,
  before: SqliteObject<"Table">,
  after: SqliteObject<"Table">,
  names: ReadonlyMap<string, string>,
): { readonly gone: readonly SqliteConstraint[]; readonly come: readonly SqliteConstraint[] } {
  const come = [...target.partsOf(after.id, ...CONSTRAINTS)];
  const gone = base.partsOf(before.id, ...CONSTRAINTS).filter((old) => {
    const index = come.findIndex((now) => isSameConstraint(old, now, names));
    if (index === -1) return true;
    come.splice(index, 1);
    return false;
  });
  return { gone, come };
}

function isSameConstraint(
  old: SqliteConstraint,
  now: SqliteConstraint,
  names: ReadonlyMap<string, string>,
): boolean {
  if (old.kind !== now.kind || old.name !== now.name) return false;
  const properties = new Set([...Object.keys(old.values), ...Object.keys(now.values)]);
  return [...properties].every((key) => {
    const property = key as keyof typeof old.values;
    if (property === "expression") {
      const was = renamedText(old.values.expression, names);
      return was === renamedText(now.values.expression, new Map());
    }
    return property === "statedAt" || sameValue(old.values[property], now.values[property]);
  });
}

/** Checks and foreign keys that ADD COLUMN can define. */
function inlineConstraints(
  added: readonly SqliteObject<"Column">[],
  come: readonly SqliteConstraint[],
): ReadonlyMap<string, readonly SqliteConstraint[]> {
  const inline = new Map<string, SqliteConstraint[]>();
  for (const constraint of come) {
    const column = added.find((each) => isAbout(constraint, each));
    if (column !== undefined) inline.set(column.id, [...(inline.get(column.id) ?? []), constraint]);
  }
  return inline;
}

function isAbout(constraint: SqliteConstraint, column: SqliteObject<"Column">): boolean {
  if (constraint.kind === "ForeignKey") {
    const { columns } = constraint.values;
    return columns.length === 1 && columns[0]?.column?.ref === column.id;
  }
  return constraint.kind === "CheckConstraint" && mentions(constraint.values.expression, column);
}

/**
 * Whether ADD COLUMN can add the column to a table with rows (SQLite, "ALTER TABLE", section 4).
 * The default must be constant, and NOT NULL needs a default.
 */
function canAdd(
  { values }: SqliteObject<"Column">,
  constraints: readonly SqliteConstraint[],
): boolean {
  const preset = values.default;
  if (values.storage === "stored") return false;
  if (preset !== undefined && /^(\(|CURRENT_)/i.test(preset)) return false;
  const isNull = preset === undefined || preset.toUpperCase() === "NULL";
  if (values.notNull === true && isNull && values.generated === undefined) return false;
  return isNull || !constraints.some(({ kind }) => kind === "ForeignKey");
}

/** Whether DROP COLUMN can drop the column: nothing else in the table may use it (section 5). */
function canDrop(
  base: SqliteSchema,
  table: SqliteObject<"Table">,
  column: SqliteObject<"Column">,
): boolean {
  const constraints = base.partsOf(table.id, ...CONSTRAINTS);
  const isUsed = constraints.some(
    ({ values }) =>
      mentions(values.expression, column) ||
      values.statedAt?.ref === column.id ||
      (values.columns ?? []).some((part) => part.column?.ref === column.id),
  );
  const siblings = base.partsOf(table.id, "Column");
  return !isUsed && !siblings.some(({ values }) => mentions(values.generated, column));
}

function mentions(sql: string | undefined, { name }: SqliteObject<"Column">): boolean {
  return sql !== undefined && namesIn(tokensOf(sql)).has(name.toLowerCase());
}

/** The steps that alter a table, after its columns have been renamed. */
export function alterTable(
  base: SqliteSchema,
  target: SqliteSchema,
  change: TableChange,
): readonly Step[] {
  if (change.isRebuild) return rebuild(base, target, change);
  const table = change.after.name;
  const head = `ALTER TABLE ${quoteName(table)}`;
  return [
    ...change.dropped.map((column) => {
      const sql = `${head} DROP COLUMN ${quoteName(goneName(column, change.renamedColumns))}`;
      const object = `${table}.${column.name}`;
      return statement("drop_column", sql, { object, table, rows: "rewrite" });
    }),
    ...change.added.map((column) => {
      const constraints = change.inline.get(column.id) ?? [];
      const clauses = constraints.map((each) => inlineClause(target, each));
      const sql = `${head} ADD COLUMN ${[columnClause(column), ...clauses].join(" ")}`;
      const isTested =
        column.values.generated !== undefined ||
        constraints.some(({ kind }) => kind === "CheckConstraint");
      const rows = isTested ? "scan" : "instant";
      return statement("add_column", sql, { object: target.pathOf(column), table, rows });
    }),
  ];
}

function inlineClause(target: SqliteSchema, constraint: SqliteConstraint): string {
  if (constraint.kind !== "ForeignKey") return constraintClause(target, constraint);
  const { name } = constraint;
  const label = name === undefined ? "" : `CONSTRAINT ${quoteName(name)} `;
  return label + referenceClause(target, constraint);
}

/** SQLite, "Making Other Kinds Of Table Schema Changes", steps 4 to 7. */
function rebuild(base: SqliteSchema, target: SqliteSchema, change: TableChange): readonly Step[] {
  const { before, after } = change;
  const { name } = after;
  const fresh = `_steward_new_${name}`;
  const copied = inOrder(target.partsOf(after.id, "Column")).flatMap((now) => {
    const old = base.find(now.id);
    if (old?.kind !== "Column" || now.values.generated !== undefined) return [];
    return [{ base, target, old, now }];
  });
  const number = rowNumber(base, target, after);
  const set = (value: "ON" | "OFF"): Statement =>
    statement("set_parameter", `PRAGMA legacy_alter_table = ${value}`, { object: name });
  const rename = `ALTER TABLE ${quoteName(fresh)} RENAME TO ${quoteName(name)}`;
  return [
    statement("create_table", createTable(target, after, fresh), { object: fresh }),
    ...copied.flatMap((column) => questionFor(column, quoteName(name)) ?? []),
    ...copy(copied, number, [name, fresh]),
    ...(isCounting(base, before) && isCounting(target, after) ? keepCounting(name, fresh) : []),
    statement("drop_table", `DROP TABLE ${quoteName(name)}`, { object: name }),
    // Renames the new table without rewriting references to the old one.
    set("ON"),
    statement("rename", rename, { object: fresh }),
    set("OFF"),
  ];
}

/**
 * Copies all rows with their rowids. A row that violates a constraint aborts the copy instead of
 * being skipped or replaced.
 */
function copy(
  copied: readonly CopiedColumn[],
  number: string | undefined,
  [table, fresh]: readonly [table: string, fresh: string],
): readonly Statement[] {
  if (copied.length === 0) return [];
  const names = copied.map(({ now }) => quoteName(nameOf(now)));
  const columns = [...(number === undefined ? [] : [number]), ...names].join(", ");
  const rows = `SELECT ${columns} FROM ${quoteName(table)}`;
  const sql = `INSERT OR ABORT INTO ${quoteName(fresh)} (${columns}) ${rows}`;
  return [statement("copy_rows", sql, { object: table, rows: "rewrite" })];
}

/**
 * The name of the rowid before and after. Undefined when a column is the rowid, or when there is
 * none.
 */
function rowNumber(
  base: SqliteSchema,
  target: SqliteSchema,
  table: SqliteObject,
): string | undefined {
  const names = new Set<string>();
  for (const schema of [base, target]) {
    const columns = schema.partsOf(table.id, "Column");
    const isOwn = schema.get(table.id).values.isWithoutRowid !== true;
    if (!isOwn || columns.some((column) => isRowid(schema, column))) return undefined;
    for (const { name } of columns) names.add(name.toLowerCase());
  }
  return ["rowid", "_rowid_", "oid"].find((each) => !names.has(each));
}

function isCounting(schema: SqliteSchema, table: SqliteObject): boolean {
  return schema
    .partsOf(table.id, "PrimaryKey")
    .some(({ values }) => values.isAutoincrement === true);
}

/** Preserves AUTOINCREMENT's counter, so that keys of deleted rows are not reused. */
function keepCounting(name: string, fresh: string): readonly Statement[] {
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const copied = `SELECT ${literal(fresh)}, seq FROM sqlite_sequence WHERE name = ${literal(name)}`;
  const remove = `DELETE FROM sqlite_sequence WHERE name = ${literal(fresh)}`;
  const subject = { object: name, table: "sqlite_sequence" };
  return [
    statement("clear_counter", remove, subject),
    statement("copy_counter", `INSERT INTO sqlite_sequence (name, seq) ${copied}`, {
      ...subject,
      rows: "rewrite",
    }),
  ];
}

/** The temporary name of a dropped column, which frees the name for another column. */
export function goneName(
  { name }: SqliteObject<"Column">,
  renamedColumns: TableChange["renamedColumns"],
): string {
  const isTaken = renamedColumns.some(({ to }) => to.toLowerCase() === name.toLowerCase());
  return isTaken ? `_steward_gone_${name}` : name;
}
