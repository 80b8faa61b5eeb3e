import { assert } from "@steward/kernel/assert.js";
import { inOrder } from "../model/column-order.js";
import {
  isOf,
  nameOf,
  type PartOf,
  type PostgresObject,
  type PostgresSchema,
  without,
} from "../model/schema.js";
import {
  type ConstraintKind,
  CONSTRAINTS,
  isForeign,
  isRoutine,
  qualified,
  quoteName,
  quoteText,
} from "./objects/names.js";
import { wordOf } from "./objects/names.js";
import { inheritedColumn } from "./objects/inheritance.js";

/** The statements that create an object, without its comment, owner and privileges. */
export function create(schema: PostgresSchema, object: PostgresObject): readonly string[] {
  if (object.kind === "Database") return [];
  const name = qualified(schema, object);
  switch (object.kind) {
    case "Schema":
      return [`CREATE SCHEMA ${name}`];
    case "Extension": {
      const schemaName = quoteName(object.values.schemaName);
      const version = quoteText(object.values.version);
      return [`CREATE EXTENSION ${name} SCHEMA ${schemaName} VERSION ${version}`];
    }
    case "EnumType":
      return [`CREATE TYPE ${name} AS ENUM (${labelsOf(object).map(quoteText).join(", ")})`];
    case "CompositeType":
      return [
        `CREATE TYPE ${name} AS (${(object.values.attributes ?? []).map(attribute).join(", ")})`,
      ];
    case "RangeType":
      return [`CREATE TYPE ${name} AS RANGE (${object.values.definition})`];
    case "Domain":
      return [createDomain(name, object)];
    case "Sequence":
      return [`CREATE ${unlogged(object)}SEQUENCE ${name} ${object.values.sequenceOptions}`];
    case "Table":
      return createTable(schema, object);
    case "View":
    case "MaterializedView": {
      const given = storageClauses(object);
      return [`CREATE ${wordOf(object)} ${name}${given} AS ${object.values.definition}`];
    }
    case "Function":
    case "Procedure":
      return [object.values.definition.trim()];
    case "Index":
      return [createIndex(schema, object)];
    case "Trigger":
    case "Rule":
      return [object.values.definition, ...enable(schema, object)];
    case "Operator":
      return [`CREATE OPERATOR ${name.replace(/ \(.*$/s, "")} ${object.values.definition}`];
    case "TextSearchConfiguration":
      return [
        `CREATE ${wordOf(object)} ${name} ${object.values.definition}`,
        ...(object.values.parts ?? []).map(
          (part) =>
            `ALTER ${wordOf(object)} ${name} ADD MAPPING FOR ${part.label} WITH ${part.definition}`,
        ),
      ];
    case "Publication":
      return [createPublication(name, object)];
    case "Aggregate":
    case "Cast":
    case "Collation":
    case "Statistics":
    case "ForeignServer":
    case "TextSearchDictionary":
      return [`CREATE ${wordOf(object)} ${name} ${object.values.definition}`];
    case "ForeignDataWrapper":
      // The space before an absent definition is part of stored scripts' digests.
      return [`CREATE ${wordOf(object)} ${name} ${object.values.definition ?? ""}`];
    case "Policy":
      return [
        `CREATE POLICY ${quoteName(object.name)} ON ${onOf(schema, object)} ${object.values.definition}`,
      ];
    case "PrimaryKey":
    case "UniqueConstraint":
    case "CheckConstraint":
    case "ForeignKey":
    case "ExclusionConstraint":
      return [addConstraint(schema, object)];
    case "Opaque":
      return object.values.parts.map(({ definition }) => definition);
    case "Column":
    case "VirtualTable":
    case "DefaultPrivileges":
    case "Unmanaged":
      return [];
  }
}

function createPublication(name: string, { values }: PostgresObject<"Publication">): string {
  const parts = (values.parts ?? []).map(({ definition }) => definition);
  const of = parts.length === 0 ? "" : `FOR ${parts.join(", ")} `;
  return `CREATE PUBLICATION ${name} ${of}${values.definition}`;
}

function unlogged({ values }: PostgresObject): string {
  return values.persistence === "unlogged" ? "UNLOGGED " : "";
}

function createDomain(name: string, { values }: PostgresObject<"Domain">): string {
  return [
    `CREATE DOMAIN ${name} AS ${values.type}`,
    prefixed("COLLATE ", values.collation),
    prefixed("DEFAULT ", values.default),
    values.notNull === true ? "NOT NULL" : undefined,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** The values of an enum. */
export function labelsOf({ values }: PostgresObject): readonly string[] {
  return (values.labels ?? []).map(({ label }) => label);
}

/** An attribute of a composite type. */
export function attribute(part: PartOf<"attributes">): string {
  const collation = clause(" COLLATE ", part.collation);
  return `${quoteName(part.label)} ${part.type}${collation}`;
}

function createTable(schema: PostgresSchema, table: PostgresObject): readonly string[] {
  const { values } = table;
  const columns = inOrder(schema.partsOf(table.id, "Column"));
  const parents = (values.inherits ?? []).map((part) => {
    return qualified(schema, schema.get(part.table.ref));
  });
  const bound = values.partitionBound;
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
  schema: PostgresSchema,
  table: PostgresObject,
  parent: PostgresObject,
): readonly string[] {
  const like = ["DEFAULTS", "GENERATED", "STORAGE", "COMPRESSION", "CONSTRAINTS"];
  const copied = like.map((word) => `INCLUDING ${word}`).join(" ");
  return createTableAs(schema, table, ` (LIKE ${qualified(schema, parent)} ${copied})`);
}

function createTableAs(
  schema: PostgresSchema,
  table: PostgresObject,
  body: string,
): readonly string[] {
  const { values } = table;
  const name = qualified(schema, table);
  const partitions = clause(" PARTITION BY ", values.partitionKey);
  const at = isForeign(table) ? serverClause(table) : "";
  return [
    `CREATE ${unlogged(table)}${wordOf(table)} ${name}${body}${partitions}${storageClauses(table)}${at}`,
    ...schema.partsOf(table.id, "Column").flatMap((column) => notNullState(name, column)),
    ...ofType(schema, table),
    ...rowSecurity(name, undefined, values.rowSecurity),
  ];
}

/** The storage parameters of a table or materialized view; the options of a view. */
function storageClauses({ values }: PostgresObject): string {
  const options = values.options;
  const given = options === undefined ? "" : ` WITH (${options})`;
  return `${clause(" USING ", values.accessMethod)}${given}`;
}

/** The statement that makes a table a typed table. */
export function ofType(schema: PostgresSchema, table: PostgresObject): readonly string[] {
  const type = table.values.ofType?.ref;
  if (type === undefined) return [];
  return [`ALTER TABLE ${qualified(schema, table)} OF ${qualified(schema, schema.get(type))}`];
}

/**
 * The statement that sets attributes of a NOT NULL constraint that CREATE TABLE and SET NOT NULL
 * cannot express.
 */
export function notNullState(
  table: string,
  { name, values }: PostgresObject<"Column">,
): readonly string[] {
  const state = values.notNullState;
  return state === undefined
    ? []
    : [`ALTER TABLE ${table} ADD NOT NULL ${quoteName(name)} ${state}`];
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

/** The statements that change the storage parameters of a table or an index. */
export function alterOptions(
  head: string,
  old: PostgresObject | undefined,
  now: PostgresObject,
): readonly string[] {
  const [before, after] = [old?.values.options, now.values.options];
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

/** CREATE INDEX, with ONLY or CONCURRENTLY on request. */
export function createIndex(
  schema: PostgresSchema,
  index: PostgresObject<"Index">,
  { isOnly = false, isConcurrent = false }: { isOnly?: boolean; isConcurrent?: boolean } = {},
): string {
  const { name, values } = index;
  const unique = values.isUnique === true ? "UNIQUE " : "";
  const word = isConcurrent ? "CONCURRENTLY " : "";
  const on = `${isOnly ? "ONLY " : ""}${onOf(schema, index)}`;
  const options = values.options;
  const given = options === undefined ? "" : ` WITH (${options})`;
  const head = `CREATE ${unique}INDEX ${word}${quoteName(name)} ON ${on} USING`;
  return `${head} ${withoutWhere(index)}${given}${clause(" WHERE ", values.where)}`;
}

/** An index's definition without its WHERE clause, which must follow the storage parameters. */
function withoutWhere({ values }: PostgresObject<"Index">): string {
  const { definition, where } = values;
  return where === undefined ? definition : definition.slice(0, -` WHERE ${where}`.length);
}

/** The table or domain that an index, constraint, trigger or policy is on. */
export function onOf(schema: PostgresSchema, object: PostgresObject): string {
  return qualified(schema, schema.above(object));
}

/** ALTER TABLE or ALTER DOMAIN … ADD CONSTRAINT. */
export function addConstraint(
  schema: PostgresSchema,
  constraint: PostgresObject<ConstraintKind>,
): string {
  const { name, values } = constraint;
  return `${alterOn(schema, constraint)} ADD CONSTRAINT ${quoteName(name)} ${values.definition}`;
}

/** The beginning of a statement that alters a constraint. */
export function alterOn(schema: PostgresSchema, constraint: PostgresObject): string {
  const above = schema.above(constraint);
  return `ALTER ${above.kind === "Domain" ? "DOMAIN" : "TABLE"} ${qualified(schema, above)}`;
}

function enable(schema: PostgresSchema, object: PostgresObject): readonly string[] {
  const enabled = object.values.enabled;
  if (enabled === undefined) return [];
  const what = `${object.kind.toUpperCase()} ${quoteName(nameOf(object))}`;
  return [`ALTER TABLE ${onOf(schema, object)} ${enabled} ${what}`];
}

export function drop(schema: PostgresSchema, object: PostgresObject): string {
  const { kind } = object;
  const name = nameOf(object);
  if (kind === "Column")
    return `ALTER TABLE ${onOf(schema, object)} DROP COLUMN ${quoteName(name)}`;
  if (kind === "Trigger" || kind === "Policy" || kind === "Rule") {
    return `DROP ${kind.toUpperCase()} ${quoteName(name)} ON ${onOf(schema, object)}`;
  }
  if (isOf(object, CONSTRAINTS)) {
    return `${alterOn(schema, object)} DROP CONSTRAINT ${quoteName(name)}`;
  }
  return `DROP ${wordOf(object)} ${qualified(schema, object)}`;
}

/** Whether CREATE OR REPLACE can turn one definition of a routine into another. */
export function isReplaceable(old: PostgresObject, now: PostgresObject): boolean {
  return (
    isRoutine(now) &&
    now.kind !== "Aggregate" &&
    old.values.returns === now.values.returns &&
    old.values.signature === now.values.signature
  );
}

/** An optional clause: no text at all where the object has no such property. */
function clause(prefix: string, text: string | undefined): string {
  return text === undefined ? "" : prefix + text;
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}
