import { assert } from "@steward/kernel/assert.js";
import { inOrder } from "../model/column-order.js";
import { nameOf, type PartOf, type SqliteObject, type SqliteSchema } from "../model/schema.js";
import { quoteName } from "./expression.js";

/** CREATE TABLE, optionally under another name. */
export function createTable(
  schema: SqliteSchema,
  table: SqliteObject,
  name: string = nameOf(table),
): string {
  const columns = schema.partsOf(table.id, "Column");
  const primary = schema.partsOf(table.id, "PrimaryKey")[0];
  const inline =
    primary !== undefined && primary.values.isAutoincrement === true ? primary : undefined;
  const lines = [
    ...inOrder(columns).map((column) => columnClause(column, inline)),
    ...schema
      .partsOf(table.id, "PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey")
      .filter((constraint) => constraint !== inline)
      .map((constraint) => constraintClause(schema, constraint)),
  ];
  const options = [
    ...(table.values.isStrict === true ? ["STRICT"] : []),
    ...(table.values.isWithoutRowid === true ? ["WITHOUT ROWID"] : []),
  ];
  const end = options.length === 0 ? "" : ` ${options.join(", ")}`;
  return `CREATE TABLE ${quoteName(name)} (\n  ${lines.join(",\n  ")}\n)${end}`;
}

/**
 * A column definition for CREATE TABLE and ADD COLUMN.
 * @param key the primary key to define with the column.
 */
export function columnClause(
  column: SqliteObject<"Column">,
  key?: SqliteObject<"PrimaryKey">,
): string {
  const { values } = column;
  const generated = values.generated;
  const notNullName = values.notNullName;
  return [
    quoteName(nameOf(column)),
    values.type,
    ...(key?.values.columns[0]?.column?.ref === column.id
      ? [labelOf(key), `PRIMARY KEY${orderOf(key)}${conflictOf(key)} AUTOINCREMENT`]
      : []),
    ...(values.notNull === true
      ? [notNullName === undefined ? undefined : `CONSTRAINT ${quoteName(notNullName)}`, "NOT NULL"]
      : []),
    onConflict(values.notNullConflict),
    prefixed("DEFAULT ", values.default),
    prefixed("COLLATE ", values.collation),
    generated === undefined
      ? undefined
      : `GENERATED ALWAYS AS (${generated}) ${(values.storage ?? "virtual").toUpperCase()}`,
  ]
    .filter((word) => word !== undefined && word !== "")
    .join(" ");
}

/** A constraint of a table. */
export type SqliteConstraint = SqliteObject<
  "PrimaryKey" | "UniqueConstraint" | "CheckConstraint" | "ForeignKey"
>;

/** A table constraint for CREATE TABLE. */
export function constraintClause(schema: SqliteSchema, constraint: SqliteConstraint): string {
  const label = labelOf(constraint);
  return `${label === undefined ? "" : `${label} `}${constraintBody(schema, constraint)}`;
}

function constraintBody(schema: SqliteSchema, constraint: SqliteConstraint): string {
  const end = conflictOf(constraint);
  if (constraint.kind === "CheckConstraint") return `CHECK (${constraint.values.expression})${end}`;
  const columns = constraint.values.columns.map((part) => partClause(schema, part)).join(", ");
  if (constraint.kind === "PrimaryKey") return `PRIMARY KEY (${columns})${end}`;
  if (constraint.kind === "UniqueConstraint") return `UNIQUE (${columns})${end}`;
  return `FOREIGN KEY (${columns}) ${referenceClause(schema, constraint)}`;
}

/** The REFERENCES clause of a foreign key. */
export function referenceClause(
  schema: SqliteSchema,
  { id, values }: SqliteObject<"ForeignKey">,
): string {
  const target = values.target?.ref;
  const table = target === undefined ? values.targetName : schema.get(target).name;
  assert(table !== undefined, `the foreign key ${id} references a table`);
  const columns = values.columns.flatMap((part) => {
    const id = part.targetColumn?.ref;
    const name = id === undefined ? part.targetColumnName : schema.get(id).name;
    return name === undefined ? [] : [quoteName(name)];
  });
  return [
    `REFERENCES ${quoteName(table)}`,
    columns.length === 0 ? undefined : `(${columns.join(", ")})`,
    prefixed("ON DELETE ", values.onDelete?.toUpperCase()),
    prefixed("ON UPDATE ", values.onUpdate?.toUpperCase()),
    prefixed("MATCH ", values.match?.toUpperCase()),
    values.deferrable === undefined ? undefined : "DEFERRABLE INITIALLY DEFERRED",
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

export function createIndex(schema: SqliteSchema, index: SqliteObject<"Index">): string {
  const { values } = index;
  const parts = values.parts.map((part) => partClause(schema, part));
  const unique = values.isUnique === true ? "UNIQUE " : "";
  const table = nameOf(schema.get(values.on.ref));
  const where = clause(" WHERE ", values.where);
  return `CREATE ${unique}INDEX ${quoteName(nameOf(index))} ON ${quoteName(table)} (${parts.join(", ")})${where}`;
}

export function createView({ name, values }: SqliteObject<"View">): string {
  const columns = values.columnNames;
  const list = columns === undefined ? "" : ` (${columns})`;
  return `CREATE VIEW ${quoteName(name)}${list} AS ${values.definition}`;
}

export function createVirtualTable({ name, values }: SqliteObject<"VirtualTable">): string {
  return `CREATE VIRTUAL TABLE ${quoteName(name)} USING ${values.definition}`;
}

export function createTrigger(
  schema: SqliteSchema,
  { name, values }: SqliteObject<"Trigger">,
): string {
  const timing = values.timing.toUpperCase();
  const on = nameOf(schema.get(values.on.ref));
  const when = clause(" WHEN ", values.when);
  const head = `CREATE TRIGGER ${quoteName(name)} ${timing} ${values.event}`;
  return `${head} ON ${quoteName(on)} FOR EACH ROW${when} ${values.body}`;
}

type KeyPart = PartOf<"columns"> | PartOf<"parts">;

function partClause(schema: SqliteSchema, part: KeyPart): string {
  const column = part.column?.ref;
  return [
    column === undefined ? part.expression : quoteName(nameOf(schema.get(column))),
    prefixed("COLLATE ", part.collation),
    part.order?.toUpperCase(),
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

function labelOf({ name }: SqliteObject): string | undefined {
  return name === undefined ? undefined : `CONSTRAINT ${quoteName(name)}`;
}

function orderOf({ values }: SqliteObject<"PrimaryKey">): string {
  return values.columns[0]?.order === "desc" ? " DESC" : "";
}

function conflictOf({ values }: SqliteObject): string {
  const clause = onConflict(values.conflict);
  return clause === undefined ? "" : ` ${clause}`;
}

function onConflict(conflict: string | undefined): string | undefined {
  return prefixed("ON CONFLICT ", conflict?.toUpperCase());
}

/** An optional clause: no text at all where the object has no such property. */
function clause(prefix: string, text: string | undefined): string {
  return text === undefined ? "" : prefix + text;
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}
