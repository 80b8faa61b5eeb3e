import { assert } from "@steward/kernel/assert.js";
import { inOrder } from "../model/column-order.js";
import type { Statement, TableLock } from "../model/commands.js";
import type { Kind } from "../model/kinds.js";
import {
  isOf,
  nameOf,
  type PartOf,
  type PostgresObject,
  type PostgresSchema,
  without,
} from "../model/schema.js";
import { concurrently, lock, on, type PlainCommand, statement, type Subject } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { needsOf } from "./objects/dependency-order.js";
import {
  type ConstraintKind,
  CONSTRAINTS,
  isForeign,
  isRoutine,
  qualified,
  quoteName,
  quoteText,
  wordOf,
} from "./objects/names.js";
import { isUnchecked } from "./objects/unchecked.js";
import { inheritedColumn } from "./objects/inheritance.js";

/** The statements that create an object, without its comment, owner and privileges. */
export function create(
  schema: PostgresSchema,
  object: PostgresObject,
  tables: LockedTables,
): readonly Statement[] {
  const subject = on(schema, object);
  switch (object.kind) {
    case "Table":
      return createTable(schema, object, tables);
    case "MaterializedView":
      // The query fills the view.
      return [
        statement("create_materialized_view", createView(schema, object), {
          ...subject,
          rows: "rewrite",
        }),
      ];
    case "Index":
      return [createIndex(schema, object)];
    case "Trigger":
      return [
        statement("create_trigger", object.values.definition, subject),
        ...enable(schema, object, "set_trigger_state"),
      ];
    case "Rule":
      return [
        statement("create_rule", object.values.definition, subject),
        ...enable(schema, object, "set_rule_state"),
      ];
    case "Policy": {
      const head = `CREATE POLICY ${quoteName(object.name)} ON ${onOf(schema, object)}`;
      return [statement("create_policy", `${head} ${object.values.definition}`, subject)];
    }
    case "Statistics": {
      const sql = `CREATE STATISTICS ${qualified(schema, object)} ${object.values.definition}`;
      const table = tableOfStatistics(schema, object);
      return [statement("create_statistics", sql, { ...subject, table })];
    }
    case "PrimaryKey":
    case "UniqueConstraint":
    case "CheckConstraint":
    case "ForeignKey":
    case "ExclusionConstraint":
      return [addConstraint(schema, object, tables)];
    default:
      return createUnlocked(schema, object).map((sql) => statement("create", sql, subject));
  }
}

/** The statements that create an object of a kind whose creation locks no table. */
function createUnlocked(schema: PostgresSchema, object: PostgresObject): readonly string[] {
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
        `CREATE TYPE ${name} AS (${(object.values.attributes ?? []).map((part) => attribute(part)).join(", ")})`,
      ];
    case "RangeType":
      return [`CREATE TYPE ${name} AS RANGE (${object.values.definition})`];
    case "Domain":
      return [createDomain(name, object)];
    case "Sequence":
      return [`CREATE ${unlogged(object)}SEQUENCE ${name} ${object.values.sequenceOptions}`];
    case "View":
      return [createView(schema, object)];
    case "Function":
    case "Procedure":
      return [object.values.definition.trim()];
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
    case "ForeignServer":
    case "TextSearchDictionary":
      return [`CREATE ${wordOf(object)} ${name} ${object.values.definition}`];
    case "ForeignDataWrapper":
      // The space before an absent definition is part of stored scripts' digests.
      return [`CREATE ${wordOf(object)} ${name} ${object.values.definition ?? ""}`];
    case "Opaque":
      return object.values.parts.map(({ definition }) => definition);
    default:
      return [];
  }
}

function createView(
  schema: PostgresSchema,
  view: PostgresObject<"View" | "MaterializedView">,
): string {
  const head = `CREATE ${wordOf(view)} ${qualified(schema, view)}${storageClauses(view)}`;
  return `${head} AS ${view.values.definition}`;
}

/** The table whose columns the statistics are about. */
function tableOfStatistics(schema: PostgresSchema, statistics: PostgresObject): string | undefined {
  const [table] = needsOf(statistics).flatMap((id) => {
    const needed = schema.find(id);
    return needed === undefined ? [] : (on(schema, needed).table ?? []);
  });
  return table;
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

/**
 * An attribute of a composite type.
 * @param word the keyword before the type, which ALTER ATTRIBUTE needs.
 */
export function attribute(part: PartOf<"attributes">, word = ""): string {
  const collation = clause(" COLLATE ", part.collation);
  return `${quoteName(part.label)} ${word}${part.type}${collation}`;
}

function createTable(
  schema: PostgresSchema,
  table: PostgresObject,
  tables: LockedTables,
): readonly Statement[] {
  const { values } = table;
  const columns = inOrder(schema.partsOf(table.id, "Column"));
  const inherited = (values.inherits ?? []).map((part) => schema.get(part.table.ref));
  const parents = inherited.map((parent) => qualified(schema, parent));
  const bound = values.partitionBound;
  const list = columns
    .map((column) => columnClause(withoutInherited(schema, table, column)))
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

/** The storage parameters of a table or materialized view; the options of a view. */
function storageClauses({ values }: PostgresObject): string {
  const options = values.options;
  const given = options === undefined ? "" : ` WITH (${options})`;
  return `${clause(" USING ", values.accessMethod)}${given}`;
}

/** The statement that makes a table a typed table. */
export function ofType(schema: PostgresSchema, table: PostgresObject): readonly Statement[] {
  const type = table.values.ofType?.ref;
  if (type === undefined) return [];
  const sql = `ALTER TABLE ${qualified(schema, table)} OF ${qualified(schema, schema.get(type))}`;
  return [statement("set_row_type", sql, on(schema, table))];
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
  const sql = `ALTER TABLE ${onOf(schema, column)} ADD NOT NULL ${quoteName(column.name)} ${state}`;
  return [statement("add_not_null", sql, on(schema, column))];
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
  ].map((word) => {
    const sql = `ALTER TABLE ${qualified(schema, table)} ${word} ROW LEVEL SECURITY`;
    return statement("set_row_security", sql, on(schema, table));
  });
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
): Statement {
  const { name, values } = index;
  const unique = values.isUnique === true ? "UNIQUE " : "";
  const word = isConcurrent ? "CONCURRENTLY " : "";
  const table = schema.above(index);
  const at = `${isOnly ? "ONLY " : ""}${qualified(schema, table)}`;
  const options = values.options;
  const given = options === undefined ? "" : ` WITH (${options})`;
  const head = `CREATE ${unique}INDEX ${word}${quoteName(name)} ON ${at} USING`;
  const sql = `${head} ${withoutWhere(index)}${given}${clause(" WHERE ", values.where)}`;
  const subject = { object: schema.pathOf(index), table: schema.pathOf(table) };
  return isConcurrent
    ? concurrently(sql, qualified(schema, index), subject)
    : statement("create_index", sql, { ...subject, rows: "scan" });
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

/** How ADD CONSTRAINT adds a constraint. */
interface Addition {
  /** Whether only new rows are checked, until VALIDATE CONSTRAINT. */
  readonly isValidatedLater?: boolean;
  /** Whether the constraint is not added to the table's partitions. */
  readonly isOnly?: boolean;
}

/** ALTER TABLE or ALTER DOMAIN … ADD CONSTRAINT. */
export function addConstraint(
  schema: PostgresSchema,
  constraint: PostgresObject<ConstraintKind>,
  tables: LockedTables,
  { isValidatedLater = false, isOnly = false }: Addition = {},
): Statement {
  const { kind, name, values } = constraint;
  const above = schema.above(constraint);
  const head = `ALTER ${alteredWord(above)} ${isOnly ? "ONLY " : ""}${qualified(schema, above)}`;
  const end = isValidatedLater ? " NOT VALID" : "";
  const sql = `${head} ADD CONSTRAINT ${quoteName(name)} ${values.definition}${end}`;
  const subject = on(schema, constraint);
  const rows = isValidatedLater || isUnchecked(constraint) ? "instant" : "scan";
  if (above.kind === "Domain") {
    const others = rows === "scan" ? tables.withColumnsOf(above.id) : [];
    return statement("alter_domain", sql, { ...subject, others });
  }
  if (kind !== "ForeignKey") return statement("add_constraint", sql, { ...subject, rows });
  const others = tables.referencedBy(constraint, "SHARE ROW EXCLUSIVE");
  return statement("add_foreign_key", sql, { ...subject, rows, others });
}

/** VALIDATE CONSTRAINT. */
export function validateConstraint(
  schema: PostgresSchema,
  constraint: PostgresObject,
  tables: LockedTables,
): Statement {
  const above = schema.above(constraint);
  const sql = `${alterOn(schema, constraint)} VALIDATE CONSTRAINT ${quoteName(nameOf(constraint))}`;
  const subject = on(schema, constraint);
  if (above.kind === "Domain") {
    return statement("alter_domain", sql, {
      ...subject,
      others: tables.withColumnsOf(above.id),
    });
  }
  const others = tables.referencedBy(constraint, "ROW SHARE", "scan");
  return statement("validate_constraint", sql, { ...subject, rows: "scan", others });
}

/** The beginning of a statement that alters a constraint. */
export function alterOn(schema: PostgresSchema, constraint: PostgresObject): string {
  const above = schema.above(constraint);
  return `ALTER ${alteredWord(above)} ${qualified(schema, above)}`;
}

function alteredWord({ kind }: PostgresObject): string {
  return kind === "Domain" ? "DOMAIN" : "TABLE";
}

function enable(
  schema: PostgresSchema,
  object: PostgresObject,
  command: "set_trigger_state" | "set_rule_state",
): readonly Statement[] {
  const enabled = object.values.enabled;
  if (enabled === undefined) return [];
  const what = `${object.kind.toUpperCase()} ${quoteName(nameOf(object))}`;
  const sql = `ALTER TABLE ${onOf(schema, object)} ${enabled} ${what}`;
  return [statement(command, sql, on(schema, object))];
}

/** The kinds whose drop locks a table, or loses data. */
const DROPS: Readonly<Partial<Record<Kind, PlainCommand>>> = {
  Column: "drop_column",
  Extension: "drop_extension",
  Index: "drop_index",
  MaterializedView: "drop_materialized_view",
  Policy: "drop_policy",
  Rule: "drop_rule",
  Sequence: "drop_sequence",
  Table: "drop_table",
  Trigger: "drop_trigger",
  View: "drop_view",
};

export function drop(
  schema: PostgresSchema,
  object: PostgresObject,
  tables: LockedTables,
): Statement {
  const subject = on(schema, object);
  const sql = dropText(schema, object);
  if (isOf(object, CONSTRAINTS)) {
    if (schema.above(object).kind === "Domain") return statement("alter_domain", sql, subject);
    const others = tables.referencedBy(object, "ACCESS EXCLUSIVE");
    return statement("drop_constraint", sql, { ...subject, others });
  }
  if (object.kind === "Index") {
    return statement("drop_index", sql, { ...subject, table: tables.pathOf(object.parent) });
  }
  if (isForeign(object)) return statement("drop_foreign_table", sql, subject);
  const others = object.kind === "Table" ? tables.droppedWith(object) : [];
  return statement(DROPS[object.kind] ?? "drop", sql, { ...subject, others });
}

function dropText(schema: PostgresSchema, object: PostgresObject): string {
  const { kind } = object;
  const name = quoteName(nameOf(object));
  if (kind === "Column") return `ALTER TABLE ${onOf(schema, object)} DROP COLUMN ${name}`;
  if (kind === "Trigger" || kind === "Policy" || kind === "Rule") {
    return `DROP ${kind.toUpperCase()} ${name} ON ${onOf(schema, object)}`;
  }
  if (isOf(object, CONSTRAINTS)) return `${alterOn(schema, object)} DROP CONSTRAINT ${name}`;
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
