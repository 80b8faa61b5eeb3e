import { assert } from "@steward/kernel/assert.js";
import { inOrder } from "../model/column-order.js";
import type { Statement, TableLock } from "../model/commands.js";
import { type PostgresObject, type PostgresSchema, without } from "../model/schema.js";
import { clause, prefixed, storageClauses, unlogged } from "./clauses.js";
import { alteringTable, lock, on, statement, type Subject } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { inheritedColumn } from "./parents/inheritance.js";
import { disputedColumns } from "./parents/standing-alone.js";
import { isForeign, qualified, quoteName, wordOf } from "./objects/names.js";

/** The statements that create a table with its columns, or a partition of another table. */
export function createTable(
  schema: PostgresSchema,
  table: PostgresObject,
  tables: LockedTables,
): readonly Statement[] {
  const { values } = table;
  const columns = inOrder(schema.partsOf(table.id, "Column"));
  const inherited = (values.inherits ?? []).map((part) => schema.get(part.table.ref));
  const parents = inherited.map((parent) => qualified(schema, parent));
  const bound = values.partitionBound;
  const list = [
    ...columns.map((column) => withoutInherited(schema, table, column)),
    ...disputedColumns(schema, table),
  ]
    .map((column) => columnClause(column))
    .join(",\n  ");
  const body =
    bound !== undefined
      ? ` PARTITION OF ${parents.join(", ")} ${bound}`
      : ` (${list === "" ? "" : `\n  ${list}\n`})${parents.length === 0 ? "" : ` INHERITS (${parents.join(", ")})`}`;
  const locks = inherited.flatMap((parent) => {
    const path = schema.pathOf(parent);
    if (bound === undefined) return [lock(path, "SHARE UPDATE EXCLUSIVE")];
    return [lock(path, "ACCESS EXCLUSIVE"), ...tables.defaultOf(parent.id, "scan")];
  });
  return createTableAs(schema, table, body, locks);
}

/**
 * The statements that create a partition as a separate table, to be attached once it has its
 * indexes.
 */
export function createLike(
  schema: PostgresSchema,
  table: PostgresObject,
  parent: PostgresObject,
): readonly Statement[] {
  const like = ["DEFAULTS", "GENERATED", "STORAGE", "COMPRESSION", "CONSTRAINTS"];
  const copied = like.map((word) => `INCLUDING ${word}`).join(" ");
  return createTableAs(schema, table, ` (LIKE ${qualified(schema, parent)} ${copied})`);
}

function createTableAs(
  schema: PostgresSchema,
  table: PostgresObject,
  body: string,
  others: readonly TableLock[] = [],
): readonly Statement[] {
  const { values } = table;
  const name = qualified(schema, table);
  const partitions = clause(" PARTITION BY ", values.partitionKey);
  const at = isForeign(table) ? serverClause(table) : "";
  const head = `CREATE ${unlogged(table)}${wordOf(table)} ${name}`;
  const sql = `${head}${body}${partitions}${storageClauses(table)}${at}`;
  return [
    statement("create_table", sql, { ...on(schema, table), others }),
    ...schema.partsOf(table.id, "Column").flatMap((column) => notNullState(schema, column)),
    ...ofType(schema, table),
    ...rowSecurity(schema, table, undefined),
  ];
}

/** The statement that makes a table a typed table. */
export function ofType(schema: PostgresSchema, table: PostgresObject): readonly Statement[] {
  const type = table.values.ofType?.ref;
  if (type === undefined) return [];
  const action = `OF ${qualified(schema, schema.get(type))}`;
  return [alteringTable("set_row_type", schema, table, action)];
}

/**
 * The statement that sets attributes of a NOT NULL constraint that CREATE TABLE and SET NOT NULL
 * cannot express.
 */
export function notNullState(
  schema: PostgresSchema,
  column: PostgresObject<"Column">,
): readonly Statement[] {
  const state = column.values.notNullState;
  if (state === undefined) return [];
  const action = `ADD NOT NULL ${quoteName(column.name)} ${state}`;
  return [alteringTable("add_not_null", schema, column, action)];
}

/**
 * Removes an inherited generation expression, which CREATE TABLE must not repeat for a child's
 * column.
 */
function withoutInherited(
  schema: PostgresSchema,
  table: PostgresObject,
  column: PostgresObject<"Column">,
): PostgresObject<"Column"> {
  const above = inheritedColumn(schema, table, column.name);
  if (above?.values.generated === undefined) return column;
  if (above.values.generated !== column.values.generated) return column;
  return without(column, "generated", "storage");
}

function serverClause({ values }: PostgresObject): string {
  const options = values.foreignOptions;
  const given = options === undefined ? "" : ` OPTIONS (${options})`;
  return `${clause(" SERVER ", values.server)}${given}`;
}

/**
 * The statements that change the storage parameters of a table or an index.
 * @param head the beginning of the statements: `TABLE "public"."orders"`.
 */
export function alterOptions(
  head: string,
  subject: Subject,
  before: string | undefined,
  after: string | undefined,
): readonly Statement[] {
  if (before === after) return [];
  return [
    ...(before === undefined ? [] : [`ALTER ${head} RESET (${before.replaceAll(/=[^,]*/g, "")})`]),
    ...(after === undefined ? [] : [`ALTER ${head} SET (${after})`]),
  ].map((sql) => statement("set_options", sql, subject));
}

/** The statements that change a table's row security. */
export function rowSecurity(
  schema: PostgresSchema,
  table: PostgresObject,
  before: string | undefined,
): readonly Statement[] {
  const after = table.values.rowSecurity;
  const isOn = (state = ""): boolean => state === "enabled" || state === "forced";
  const isForced = (state = ""): boolean => state.startsWith("forced");
  return [
    ...(isOn(before) === isOn(after) ? [] : [isOn(after) ? "ENABLE" : "DISABLE"]),
    ...(isForced(before) === isForced(after) ? [] : [isForced(after) ? "FORCE" : "NO FORCE"]),
  ].map((word) => alteringTable("set_row_security", schema, table, `${word} ROW LEVEL SECURITY`));
}

/** A column definition for CREATE TABLE and ADD COLUMN. */
export function columnClause({ name, values }: PostgresObject<"Column">): string {
  const generated = values.generated;
  const identity = values.identity;
  const options = clause(" ", identityOptions(values));
  return [
    `${quoteName(name)} ${values.type}`,
    values.foreignOptions === undefined ? undefined : `OPTIONS (${values.foreignOptions})`,
    prefixed("COLLATE ", values.collation),
    generated === undefined
      ? undefined
      : `GENERATED ALWAYS AS (${generated}) ${storageOf(values).toUpperCase()}`,
    prefixed("DEFAULT ", values.default),
    identity === undefined
      ? undefined
      : `GENERATED ${identity.toUpperCase()} AS IDENTITY${options === "" ? "" : ` (${options.trim()})`}`,
    // Otherwise a separate statement adds the NOT NULL constraint with its attributes.
    values.notNull === true && values.notNullState === undefined ? "NOT NULL" : undefined,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** Whether a generated column is stored or virtual. */
function storageOf({ storage }: PostgresObject<"Column">["values"]): string {
  assert(storage !== undefined, "a generated column says how it is stored");
  return storage;
}

/** The sequence options of an identity column, without the type, which is the column's. */
export function identityOptions(values: PostgresObject["values"]): string | undefined {
  return values.sequenceOptions?.replace(/^AS \S+ /, "");
}
