import { inOrder } from "../model/column-order.js";
import {
  idIn,
  isSet,
  type Part,
  partsIn,
  type Schema,
  type SchemaObject,
  textOf,
} from "../model/schema.js";
import { quoteName } from "./expression.js";

/** CREATE TABLE, optionally under another name. */
export function createTable(
  schema: Schema,
  table: SchemaObject,
  name: string = nameOf(table),
): string {
  const columns = schema.partsOf(table.id, "Column");
  const primary = schema.partsOf(table.id, "PrimaryKey")[0];
  const inline =
    primary !== undefined && isSet(primary.values, "isAutoincrement") ? primary : undefined;
  const lines = [
    ...inOrder(columns).map((column) => columnClause(column, inline)),
    ...schema
      .partsOf(table.id, "PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey")
      .filter((constraint) => constraint !== inline)
      .map((constraint) => constraintClause(schema, constraint)),
  ];
  const options = [
    ...(isSet(table.values, "isStrict") ? ["STRICT"] : []),
    ...(isSet(table.values, "isWithoutRowid") ? ["WITHOUT ROWID"] : []),
  ];
  const end = options.length === 0 ? "" : ` ${options.join(", ")}`;
  return `CREATE TABLE ${quoteName(name)} (\n  ${lines.join(",\n  ")}\n)${end}`;
}

/**
 * A column definition for CREATE TABLE and ADD COLUMN.
 * @param key the primary key to define with the column.
 */
export function columnClause(column: SchemaObject, key?: SchemaObject): string {
  const { values } = column;
  const generated = textOf(values, "generated");
  const notNullName = textOf(values, "notNullName");
  return [
    quoteName(nameOf(column)),
    textOf(values, "type"),
    ...(key !== undefined && idIn(partsIn(key.values, "columns")[0] ?? {}, "column") === column.id
      ? [labelOf(key), `PRIMARY KEY${orderOf(key)}${conflictOf(key)} AUTOINCREMENT`]
      : []),
    ...(isSet(values, "notNull")
      ? [notNullName === undefined ? undefined : `CONSTRAINT ${quoteName(notNullName)}`, "NOT NULL"]
      : []),
    onConflict(textOf(values, "notNullConflict")),
    prefixed("DEFAULT ", textOf(values, "default")),
    prefixed("COLLATE ", textOf(values, "collation")),
    generated === undefined
      ? undefined
      : `GENERATED ALWAYS AS (${generated}) ${(textOf(values, "storage") ?? "virtual").toUpperCase()}`,
  ]
    .filter((word) => word !== undefined && word !== "")
    .join(" ");
}

/** A table constraint for CREATE TABLE. */
export function constraintClause(schema: Schema, constraint: SchemaObject): string {
  const label = labelOf(constraint);
  return `${label === undefined ? "" : `${label} `}${constraintBody(schema, constraint)}`;
}

function constraintBody(schema: Schema, constraint: SchemaObject): string {
  const { kind, values } = constraint;
  const columns = (): string =>
    partsIn(values, "columns")
      .map((part) => partClause(schema, part))
      .join(", ");
  if (kind === "PrimaryKey") return `PRIMARY KEY (${columns()})${conflictOf(constraint)}`;
  if (kind === "UniqueConstraint") return `UNIQUE (${columns()})${conflictOf(constraint)}`;
  if (kind === "CheckConstraint") {
    return `CHECK (${textOf(values, "expression") ?? ""})${conflictOf(constraint)}`;
  }
  return `FOREIGN KEY (${columns()}) ${referenceClause(schema, constraint)}`;
}

/** The REFERENCES clause of a foreign key. */
export function referenceClause(schema: Schema, { values }: SchemaObject): string {
  const target = idIn(values, "target");
  const table = target === undefined ? textOf(values, "targetName") : schema.get(target).name;
  const columns = partsIn(values, "columns").flatMap((part) => {
    const id = idIn(part, "targetColumn");
    const name = id === undefined ? textOf(part, "targetColumnName") : schema.get(id).name;
    return name === undefined ? [] : [quoteName(name)];
  });
  return [
    `REFERENCES ${quoteName(table ?? "")}`,
    columns.length === 0 ? undefined : `(${columns.join(", ")})`,
    prefixed("ON DELETE ", textOf(values, "onDelete")?.toUpperCase()),
    prefixed("ON UPDATE ", textOf(values, "onUpdate")?.toUpperCase()),
    prefixed("MATCH ", textOf(values, "match")?.toUpperCase()),
    textOf(values, "deferrable") === undefined ? undefined : "DEFERRABLE INITIALLY DEFERRED",
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

export function createIndex(schema: Schema, index: SchemaObject): string {
  const { values } = index;
  const parts = partsIn(values, "parts").map((part) => partClause(schema, part));
  const unique = isSet(values, "isUnique") ? "UNIQUE " : "";
  const table = nameOf(schema.get(idIn(values, "on") ?? ""));
  const where = prefixed(" WHERE ", textOf(values, "where")) ?? "";
  return `CREATE ${unique}INDEX ${quoteName(nameOf(index))} ON ${quoteName(table)} (${parts.join(", ")})${where}`;
}

export function createView({ name = "", values }: SchemaObject): string {
  const columns = textOf(values, "columnNames");
  const list = columns === undefined ? "" : ` (${columns})`;
  return `CREATE VIEW ${quoteName(name)}${list} AS ${textOf(values, "definition") ?? ""}`;
}

export function createVirtualTable({ name = "", values }: SchemaObject): string {
  return `CREATE VIRTUAL TABLE ${quoteName(name)} USING ${textOf(values, "definition") ?? ""}`;
}

export function createTrigger(schema: Schema, { name = "", values }: SchemaObject): string {
  const timing = (textOf(values, "timing") ?? "before").toUpperCase();
  const on = nameOf(schema.get(idIn(values, "on") ?? ""));
  const when = prefixed(" WHEN ", textOf(values, "when")) ?? "";
  const head = `CREATE TRIGGER ${quoteName(name)} ${timing} ${textOf(values, "event") ?? ""}`;
  return `${head} ON ${quoteName(on)} FOR EACH ROW${when} ${textOf(values, "body") ?? ""}`;
}

function partClause(schema: Schema, part: Part): string {
  const column = idIn(part, "column");
  return [
    column === undefined ? textOf(part, "expression") : quoteName(nameOf(schema.get(column))),
    prefixed("COLLATE ", textOf(part, "collation")),
    textOf(part, "order")?.toUpperCase(),
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

function nameOf({ name = "" }: SchemaObject): string {
  return name;
}

function labelOf({ name }: SchemaObject): string | undefined {
  return name === undefined ? undefined : `CONSTRAINT ${quoteName(name)}`;
}

function orderOf({ values }: SchemaObject): string {
  return textOf(partsIn(values, "columns")[0] ?? {}, "order") === "desc" ? " DESC" : "";
}

function conflictOf({ values }: SchemaObject): string {
  const clause = onConflict(textOf(values, "conflict"));
  return clause === undefined ? "" : ` ${clause}`;
}

function onConflict(conflict: string | undefined): string | undefined {
  return prefixed("ON CONFLICT ", conflict?.toUpperCase());
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}
