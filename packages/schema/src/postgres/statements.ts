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
import {
  CONSTRAINTS,
  isForeign,
  isRoutine,
  qualified,
  quoteName,
  quoteText,
} from "./objects/names.js";
import { WORDS, wordOf } from "./objects/names.js";
import { inheritedColumn } from "./objects/inheritance.js";

/** The statements that create an object, without its comment, owner and privileges. */
export function create(schema: Schema, object: SchemaObject): readonly string[] {
  const { kind, values } = object;
  const name = qualified(schema, object);
  switch (kind) {
    case "Schema":
      return [`CREATE SCHEMA ${name}`];
    case "Extension": {
      const schemaName = quoteName(textOf(values, "schemaName") ?? "");
      const version = quoteText(textOf(values, "version") ?? "");
      return [`CREATE EXTENSION ${name} SCHEMA ${schemaName} VERSION ${version}`];
    }
    case "EnumType":
      return [`CREATE TYPE ${name} AS ENUM (${labelsOf(object).map(quoteText).join(", ")})`];
    case "CompositeType":
      return [
        `CREATE TYPE ${name} AS (${partsIn(values, "attributes").map(attribute).join(", ")})`,
      ];
    case "RangeType":
      return [`CREATE TYPE ${name} AS RANGE (${textOf(values, "definition") ?? ""})`];
    case "Domain":
      return [createDomain(name, object)];
    case "Sequence":
      return [
        `CREATE ${unlogged(object)}SEQUENCE ${name} ${textOf(values, "sequenceOptions") ?? ""}`,
      ];
    case "Table":
      return createTable(schema, object);
    case "View":
    case "MaterializedView": {
      const given = storageClauses(object);
      return [
        `CREATE ${WORDS[kind] ?? ""} ${name}${given} AS ${textOf(values, "definition") ?? ""}`,
      ];
    }
    case "Function":
    case "Procedure":
      return [(textOf(values, "definition") ?? "").trim()];
    case "Index":
      return [createIndex(schema, object)];
    case "Trigger":
    case "Rule":
      return [textOf(values, "definition") ?? "", ...enable(schema, object)];
    case "Operator":
      return [
        `CREATE OPERATOR ${name.replace(/ \(.*$/s, "")} ${textOf(values, "definition") ?? ""}`,
      ];
    case "TextSearchConfiguration":
      return [
        `CREATE ${wordOf(object)} ${name} ${textOf(values, "definition") ?? ""}`,
        ...partsIn(values, "parts").map(
          (part) =>
            `ALTER ${wordOf(object)} ${name} ADD MAPPING FOR ${textOf(part, "label") ?? ""} WITH ${textOf(part, "definition") ?? ""}`,
        ),
      ];
    case "Publication":
      return [createPublication(name, object)];
    case "Aggregate":
    case "Cast":
    case "Collation":
    case "Statistics":
    case "ForeignDataWrapper":
    case "ForeignServer":
    case "TextSearchDictionary":
      return [`CREATE ${wordOf(object)} ${name} ${textOf(values, "definition") ?? ""}`];
    case "Policy":
      return [
        `CREATE POLICY ${quoteName(object.name ?? "")} ON ${onOf(schema, object)} ${textOf(values, "definition") ?? ""}`,
      ];
    case "PrimaryKey":
    case "UniqueConstraint":
    case "CheckConstraint":
    case "ForeignKey":
    case "ExclusionConstraint":
      return [addConstraint(schema, object)];
    case "Opaque":
      return partsIn(values, "parts").map((part) => textOf(part, "definition") ?? "");
    case "Column":
    case "Database":
    case "VirtualTable":
    case "DefaultPrivileges":
    case "Unmanaged":
      return [];
  }
}

function createPublication(name: string, { values }: SchemaObject): string {
  const parts = partsIn(values, "parts").map((part) => textOf(part, "definition") ?? "");
  const of = parts.length === 0 ? "" : `FOR ${parts.join(", ")} `;
  return `CREATE PUBLICATION ${name} ${of}${textOf(values, "definition") ?? ""}`;
}

function unlogged({ values }: SchemaObject): string {
  return values.persistence === "unlogged" ? "UNLOGGED " : "";
}

function createDomain(name: string, { values }: SchemaObject): string {
  return [
    `CREATE DOMAIN ${name} AS ${textOf(values, "type") ?? ""}`,
    prefixed("COLLATE ", textOf(values, "collation")),
    prefixed("DEFAULT ", textOf(values, "default")),
    isSet(values, "notNull") ? "NOT NULL" : undefined,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** The values of an enum. */
export function labelsOf({ values }: SchemaObject): readonly string[] {
  return partsIn(values, "labels").map((part) => textOf(part, "label") ?? "");
}

/** An attribute of a composite type. */
export function attribute(part: Part): string {
  const collation = prefixed(" COLLATE ", textOf(part, "collation")) ?? "";
  return `${quoteName(textOf(part, "label") ?? "")} ${textOf(part, "type") ?? ""}${collation}`;
}

function createTable(schema: Schema, table: SchemaObject): readonly string[] {
  const { values } = table;
  const columns = inOrder(schema.partsOf(table.id, "Column"));
  const parents = partsIn(values, "inherits").map((part) => {
    const id = idIn(part, "table");
    return id === undefined ? "" : qualified(schema, schema.get(id));
  });
  const bound = textOf(values, "partitionBound");
  const list = columns
    .map((column) => columnClause(withoutInherited(schema, table, column)))
    .join(",\n  ");
  const body =
    bound !== undefined
      ? ` PARTITION OF ${parents.join(", ")} ${bound}`
      : ` (${list === "" ? "" : `\n  ${list}\n`})${parents.length === 0 ? "" : ` INHERITS (${parents.join(", ")})`}`;
  return createTableAs(schema, table, body);
}

/**
 * The statements that create a partition as a separate table, to be attached once it has its
 * indexes.
 */
export function createLike(
  schema: Schema,
  table: SchemaObject,
  parent: SchemaObject,
): readonly string[] {
  const like = ["DEFAULTS", "GENERATED", "STORAGE", "COMPRESSION", "CONSTRAINTS"];
  const copied = like.map((word) => `INCLUDING ${word}`).join(" ");
  return createTableAs(schema, table, ` (LIKE ${qualified(schema, parent)} ${copied})`);
}

function createTableAs(schema: Schema, table: SchemaObject, body: string): readonly string[] {
  const { values } = table;
  const name = qualified(schema, table);
  const partitions = prefixed(" PARTITION BY ", textOf(values, "partitionKey")) ?? "";
  const at = isForeign(table) ? serverClause(table) : "";
  return [
    `CREATE ${unlogged(table)}${wordOf(table)} ${name}${body}${partitions}${storageClauses(table)}${at}`,
    ...schema.partsOf(table.id, "Column").flatMap((column) => notNullState(name, column)),
    ...ofType(schema, table),
    ...rowSecurity(name, undefined, textOf(values, "rowSecurity")),
  ];
}

/** The storage parameters of a table or materialized view; the options of a view. */
function storageClauses({ values }: SchemaObject): string {
  const options = textOf(values, "options");
  const given = options === undefined ? "" : ` WITH (${options})`;
  return `${prefixed(" USING ", textOf(values, "accessMethod")) ?? ""}${given}`;
}

/** The statement that makes a table a typed table. */
export function ofType(schema: Schema, table: SchemaObject): readonly string[] {
  const type = idIn(table.values, "ofType");
  if (type === undefined) return [];
  return [`ALTER TABLE ${qualified(schema, table)} OF ${qualified(schema, schema.get(type))}`];
}

/**
 * The statement that sets attributes of a NOT NULL constraint that CREATE TABLE and SET NOT NULL
 * cannot express.
 */
export function notNullState(
  table: string,
  { name = "", values }: SchemaObject,
): readonly string[] {
  const state = textOf(values, "notNullState");
  return state === undefined
    ? []
    : [`ALTER TABLE ${table} ADD NOT NULL ${quoteName(name)} ${state}`];
}

/**
 * Removes an inherited generation expression, which CREATE TABLE must not repeat for a child's
 * column.
 */
function withoutInherited(schema: Schema, table: SchemaObject, column: SchemaObject): SchemaObject {
  const above = inheritedColumn(schema, table, column.name ?? "");
  if (above?.values.generated === undefined) return column;
  if (above.values.generated !== column.values.generated) return column;
  const { generated: _, storage: __, ...own } = column.values;
  return { ...column, values: own };
}

function serverClause({ values }: SchemaObject): string {
  const options = textOf(values, "foreignOptions");
  const given = options === undefined ? "" : ` OPTIONS (${options})`;
  return ` SERVER ${textOf(values, "server") ?? ""}${given}`;
}

/** The statements that change the storage parameters of a table or an index. */
export function alterOptions(
  head: string,
  old: SchemaObject | undefined,
  now: SchemaObject,
): readonly string[] {
  const [before, after] = [textOf(old?.values ?? {}, "options"), textOf(now.values, "options")];
  if (before === after) return [];
  return [
    ...(before === undefined ? [] : [`ALTER ${head} RESET (${before.replaceAll(/=[^,]*/g, "")})`]),
    ...(after === undefined ? [] : [`ALTER ${head} SET (${after})`]),
  ];
}

/** The statements that change a table's row security. */
export function rowSecurity(
  name: string,
  before: string | undefined,
  after: string | undefined,
): readonly string[] {
  const isOn = (state = ""): boolean => state === "enabled" || state === "forced";
  const isForced = (state = ""): boolean => state.startsWith("forced");
  return [
    ...(isOn(before) === isOn(after)
      ? []
      : [`ALTER TABLE ${name} ${isOn(after) ? "ENABLE" : "DISABLE"} ROW LEVEL SECURITY`]),
    ...(isForced(before) === isForced(after)
      ? []
      : [`ALTER TABLE ${name} ${isForced(after) ? "FORCE" : "NO FORCE"} ROW LEVEL SECURITY`]),
  ];
}

/** A column definition for CREATE TABLE and ADD COLUMN. */
export function columnClause({ name = "", values }: SchemaObject): string {
  const generated = textOf(values, "generated");
  const identity = textOf(values, "identity");
  const options = prefixed(" ", identityOptions(values)) ?? "";
  return [
    `${quoteName(name)} ${textOf(values, "type") ?? ""}`,
    values.foreignOptions === undefined
      ? undefined
      : `OPTIONS (${textOf(values, "foreignOptions") ?? ""})`,
    prefixed("COLLATE ", textOf(values, "collation")),
    generated === undefined
      ? undefined
      : `GENERATED ALWAYS AS (${generated}) ${(textOf(values, "storage") ?? "").toUpperCase()}`,
    prefixed("DEFAULT ", textOf(values, "default")),
    identity === undefined
      ? undefined
      : `GENERATED ${identity.toUpperCase()} AS IDENTITY${options === "" ? "" : ` (${options.trim()})`}`,
    // Otherwise a separate statement adds the NOT NULL constraint with its attributes.
    isSet(values, "notNull") && values.notNullState === undefined ? "NOT NULL" : undefined,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** The sequence options of an identity column, without the type, which is the column's. */
export function identityOptions(values: SchemaObject["values"]): string | undefined {
  return textOf(values, "sequenceOptions")?.replace(/^AS \S+ /, "");
}

/** CREATE INDEX, with ONLY or CONCURRENTLY on request. */
export function createIndex(
  schema: Schema,
  index: SchemaObject,
  { isOnly = false, isConcurrent = false }: { isOnly?: boolean; isConcurrent?: boolean } = {},
): string {
  const { name = "", values } = index;
  const unique = isSet(values, "isUnique") ? "UNIQUE " : "";
  const word = isConcurrent ? "CONCURRENTLY " : "";
  const on = `${isOnly ? "ONLY " : ""}${onOf(schema, index)}`;
  const options = textOf(values, "options");
  const given = options === undefined ? "" : ` WITH (${options})`;
  const head = `CREATE ${unique}INDEX ${word}${quoteName(name)} ON ${on} USING`;
  return `${head} ${withoutWhere(index)}${given}${prefixed(" WHERE ", textOf(values, "where")) ?? ""}`;
}

/** An index's definition without its WHERE clause, which must follow the storage parameters. */
function withoutWhere({ values }: SchemaObject): string {
  const definition = textOf(values, "definition") ?? "";
  const where = textOf(values, "where");
  return where === undefined ? definition : definition.slice(0, -` WHERE ${where}`.length);
}

/** The table or domain that an index, constraint, trigger or policy is on. */
export function onOf(schema: Schema, { parent = "" }: SchemaObject): string {
  return qualified(schema, schema.get(parent));
}

/** ALTER TABLE or ALTER DOMAIN … ADD CONSTRAINT. */
export function addConstraint(schema: Schema, constraint: SchemaObject): string {
  const definition = textOf(constraint.values, "definition") ?? "";
  return `${alterOn(schema, constraint)} ADD CONSTRAINT ${quoteName(constraint.name ?? "")} ${definition}`;
}

/** The beginning of a statement that alters a constraint. */
export function alterOn(schema: Schema, { parent = "" }: SchemaObject): string {
  const word = schema.get(parent).kind === "Domain" ? "DOMAIN" : "TABLE";
  return `ALTER ${word} ${qualified(schema, schema.get(parent))}`;
}

function enable(schema: Schema, object: SchemaObject): readonly string[] {
  const enabled = textOf(object.values, "enabled");
  if (enabled === undefined) return [];
  const what = `${object.kind.toUpperCase()} ${quoteName(object.name ?? "")}`;
  return [`ALTER TABLE ${onOf(schema, object)} ${enabled} ${what}`];
}

export function drop(schema: Schema, object: SchemaObject): string {
  const { kind, name = "" } = object;
  if (kind === "Column")
    return `ALTER TABLE ${onOf(schema, object)} DROP COLUMN ${quoteName(name)}`;
  if (kind === "Trigger" || kind === "Policy" || kind === "Rule") {
    return `DROP ${kind.toUpperCase()} ${quoteName(name)} ON ${onOf(schema, object)}`;
  }
  if (CONSTRAINTS.includes(kind)) {
    return `${alterOn(schema, object)} DROP CONSTRAINT ${quoteName(name)}`;
  }
  return `DROP ${wordOf(object)} ${qualified(schema, object)}`;
}

/** Whether CREATE OR REPLACE can turn one definition of a routine into another. */
export function isReplaceable(old: SchemaObject, now: SchemaObject): boolean {
  return (
    isRoutine(now) &&
    now.kind !== "Aggregate" &&
    old.values.returns === now.values.returns &&
    old.values.signature === now.values.signature
  );
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}
