import type { Statement } from "../model/commands.js";
import type { Kind } from "../model/kinds.js";
import {
  isOf,
  nameOf,
  type PartOf,
  type PostgresObject,
  type PostgresSchema,
} from "../model/schema.js";
import { clause, prefixed, storageClauses, unlogged } from "./clauses.js";
import { alteringTable, concurrently, on, type PlainCommand, statement } from "./commands.js";
import { addConstraint, alterOn } from "./constraints.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { needsOf } from "./objects/dependency-order.js";
import {
  CONSTRAINTS,
  isForeign,
  isRoutine,
  onOf,
  qualified,
  quoteName,
  quoteText,
  wordOf,
} from "./objects/names.js";
import { createTable } from "./table-statements.js";

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
  const subject = {
    ...{ object: schema.pathOf(index), table: schema.pathOf(table) },
    rows: "scan",
  } as const;
  return isConcurrent
    ? concurrently("create_index_concurrently", sql, qualified(schema, index), subject)
    : statement("create_index", sql, subject);
}

/** An index's definition without its WHERE clause, which must follow the storage parameters. */
function withoutWhere({ values }: PostgresObject<"Index">): string {
  const { definition, where } = values;
  return where === undefined ? definition : definition.slice(0, -` WHERE ${where}`.length);
}

function enable(
  schema: PostgresSchema,
  object: PostgresObject,
  command: "set_trigger_state" | "set_rule_state",
): readonly Statement[] {
  const enabled = object.values.enabled;
  if (enabled === undefined) return [];
  const what = `${object.kind.toUpperCase()} ${quoteName(nameOf(object))}`;
  return [alteringTable(command, schema, object, `${enabled} ${what}`)];
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
