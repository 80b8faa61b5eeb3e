import { inOrder } from "../column-order.js";
import {
  idIn,
  isSet,
  type Part,
  partsIn,
  type Schema,
  type SchemaObject,
  textOf,
} from "../schema.js";
import type { Kind } from "../kinds.js";
import { isRoutine, qualified, quoteName, quoteText, WORDS } from "./names.js";

/** Kinds of constraints. */
export const CONSTRAINTS: readonly Kind[] = [
  ...(["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const),
  "ExclusionConstraint",
];

/** The statements that make an object, without its comment, its owner and its grants. */
export function create(schema: Schema, object: SchemaObject): readonly string[] {
  const { kind, values } = object;
  const name = qualified(schema, object);
  switch (kind) {
    case "Schema":
      return object.name === "public" ? [] : [`CREATE SCHEMA ${name}`];
    case "Extension":
      return [`CREATE EXTENSION ${name} SCHEMA ${quoteName(textOf(values, "schemaName") ?? "")}`];
    case "EnumType":
      return [`CREATE TYPE ${name} AS ENUM (${labelsOf(object).map(quoteText).join(", ")})`];
    case "CompositeType":
      return [
        `CREATE TYPE ${name} AS (${partsIn(values, "attributes").map(attribute).join(", ")})`,
      ];
    case "RangeType":
      return [`CREATE TYPE ${name} AS RANGE (SUBTYPE = ${textOf(values, "type") ?? ""})`];
    case "Domain":
      return [createDomain(name, object)];
    case "Sequence":
      return [`CREATE SEQUENCE ${name} ${textOf(values, "sequenceOptions") ?? ""}`];
    case "Table":
      return createTable(schema, object);
    case "View":
    case "MaterializedView": {
      const options = textOf(values, "options");
      const given = options === undefined ? "" : ` WITH (${options})`;
      return [
        `CREATE ${WORDS[kind] ?? ""} ${name}${given} AS ${textOf(values, "definition") ?? ""}`,
      ];
    }
    case "Function":
    case "Procedure":
      return [(textOf(values, "definition") ?? "").trim()];
    case "Index":
      return [createIndex(schema, object, "")];
    case "Trigger":
      return [textOf(values, "definition") ?? "", ...enableTrigger(schema, object)];
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
    case "Column":
    case "Database":
    case "VirtualTable":
      return [];
  }
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
  const name = qualified(schema, table);
  const columns = inOrder(schema.partsOf(table.id, "Column"));
  const parents = partsIn(values, "inherits").map((part) => {
    const id = idIn(part, "table");
    return id === undefined ? "" : qualified(schema, schema.get(id));
  });
  const bound = textOf(values, "partitionBound");
  const list = columns.map((column) => columnClause(column)).join(",\n  ");
  const body =
    bound !== undefined
      ? ` PARTITION OF ${parents.join(", ")} ${bound}`
      : ` (${list === "" ? "" : `\n  ${list}\n`})${parents.length === 0 ? "" : ` INHERITS (${parents.join(", ")})`}`;
  const unlogged = textOf(values, "persistence") === "unlogged" ? "UNLOGGED " : "";
  const partitions = prefixed(" PARTITION BY ", textOf(values, "partitionKey")) ?? "";
  const options = textOf(values, "options");
  const given = options === undefined ? "" : ` WITH (${options})`;
  return [
    `CREATE ${unlogged}TABLE ${name}${body}${partitions}${given}`,
    ...rowSecurity(name, undefined, textOf(values, "rowSecurity")),
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

/** A column's part of CREATE TABLE and ADD COLUMN. */
export function columnClause({ name = "", values }: SchemaObject): string {
  const generated = textOf(values, "generated");
  const identity = textOf(values, "identity");
  const options = prefixed(" ", identityOptions(values)) ?? "";
  return [
    `${quoteName(name)} ${textOf(values, "type") ?? ""}`,
    prefixed("COLLATE ", textOf(values, "collation")),
    generated === undefined
      ? undefined
      : `GENERATED ALWAYS AS (${generated}) ${(textOf(values, "storage") ?? "").toUpperCase()}`,
    prefixed("DEFAULT ", textOf(values, "default")),
    identity === undefined
      ? undefined
      : `GENERATED ${identity.toUpperCase()} AS IDENTITY${options === "" ? "" : ` (${options.trim()})`}`,
    isSet(values, "notNull") ? "NOT NULL" : undefined,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** The options of an identity column; its type is the column's. */
export function identityOptions(values: SchemaObject["values"]): string | undefined {
  return textOf(values, "sequenceOptions")?.replace(/^AS \S+ /, "");
}

/** CREATE INDEX, with a word in front of the name. */
export function createIndex(
  schema: Schema,
  index: SchemaObject,
  word: "" | "CONCURRENTLY ",
): string {
  const unique = isSet(index.values, "isUnique") ? "UNIQUE " : "";
  const definition = textOf(index.values, "definition") ?? "";
  return `CREATE ${unique}INDEX ${word}${quoteName(index.name ?? "")} ON ${onOf(schema, index)} USING ${definition}`;
}

/** What an index, a constraint, a trigger or a policy is on. */
export function onOf(schema: Schema, { parent = "" }: SchemaObject): string {
  return qualified(schema, schema.get(parent));
}

/** ALTER TABLE or ALTER DOMAIN … ADD CONSTRAINT. */
export function addConstraint(schema: Schema, constraint: SchemaObject): string {
  const definition = textOf(constraint.values, "definition") ?? "";
  return `${alterOn(schema, constraint)} ADD CONSTRAINT ${quoteName(constraint.name ?? "")} ${definition}`;
}

/** How a statement about a constraint begins. */
export function alterOn(schema: Schema, { parent = "" }: SchemaObject): string {
  const word = schema.get(parent).kind === "Domain" ? "DOMAIN" : "TABLE";
  return `ALTER ${word} ${qualified(schema, schema.get(parent))}`;
}

function enableTrigger(schema: Schema, trigger: SchemaObject): readonly string[] {
  const enabled = textOf(trigger.values, "enabled");
  if (enabled === undefined) return [];
  return [
    `ALTER TABLE ${onOf(schema, trigger)} ${enabled} TRIGGER ${quoteName(trigger.name ?? "")}`,
  ];
}

/** The statement that drops an object. */
export function drop(schema: Schema, object: SchemaObject): string {
  const { kind, name = "" } = object;
  if (kind === "Trigger" || kind === "Policy") {
    return `DROP ${kind.toUpperCase()} ${quoteName(name)} ON ${onOf(schema, object)}`;
  }
  if (CONSTRAINTS.includes(kind)) {
    return `${alterOn(schema, object)} DROP CONSTRAINT ${quoteName(name)}`;
  }
  return `DROP ${WORDS[kind] ?? ""} ${qualified(schema, object)}`;
}

/** COMMENT ON, for a comment that changed. */
export function comment(schema: Schema, object: SchemaObject, text: string | undefined): string {
  const says = text === undefined ? "NULL" : quoteText(text);
  return `COMMENT ON ${commented(schema, object)} IS ${says}`;
}

function commented(schema: Schema, object: SchemaObject): string {
  const { kind, name = "", parent = "" } = object;
  if (kind === "Column") return `COLUMN ${onOf(schema, object)}.${quoteName(name)}`;
  if (kind === "Trigger" || kind === "Policy") {
    return `${kind.toUpperCase()} ${quoteName(name)} ON ${onOf(schema, object)}`;
  }
  const word = WORDS[kind];
  if (word !== undefined) return `${word} ${qualified(schema, object)}`;
  const domain = schema.get(parent).kind === "Domain" ? "DOMAIN " : "";
  return `CONSTRAINT ${quoteName(name)} ON ${domain}${onOf(schema, object)}`;
}

/** What others may do with an object, from what they might before. */
export function grant(
  schema: Schema,
  object: SchemaObject,
  before: readonly Part[],
): readonly string[] {
  const after = partsIn(object.values, "grants");
  const key = (part: Part): string => JSON.stringify(part);
  const had = new Set(before.map(key));
  const has = new Set(after.map(key));
  const on = grantedOn(schema, object);
  const what = (part: Part): string => {
    const columns = object.kind === "Column" ? ` (${quoteName(object.name ?? "")})` : "";
    return `${textOf(part, "privilege") ?? ""}${columns} ON ${on}`;
  };
  return [
    ...before
      .filter((part) => !has.has(key(part)))
      .map((part) => `REVOKE ${what(part)} FROM ${textOf(part, "grantee") ?? ""}`),
    ...after
      .filter((part) => !had.has(key(part)))
      .map((part) => {
        const option = isSet(part, "isGrantable") ? " WITH GRANT OPTION" : "";
        return `GRANT ${what(part)} TO ${textOf(part, "grantee") ?? ""}${option}`;
      }),
  ];
}

function grantedOn(schema: Schema, object: SchemaObject): string {
  if (object.kind === "Column") return onOf(schema, object);
  const isRelation = ["Table", "View", "MaterializedView"].includes(object.kind);
  return `${isRelation ? "TABLE" : (WORDS[object.kind] ?? "")} ${qualified(schema, object)}`;
}

/** ALTER … OWNER TO. */
export function own(schema: Schema, object: SchemaObject): string {
  const role = textOf(object.values, "owner") ?? "CURRENT_USER";
  return `ALTER ${WORDS[object.kind] ?? ""} ${qualified(schema, object)} OWNER TO ${role}`;
}

/** Whether the definition of a routine can replace another in place. */
export function isReplaceable(old: SchemaObject, now: SchemaObject): boolean {
  return (
    isRoutine(now) &&
    old.values.returns === now.values.returns &&
    old.values.signature === now.values.signature
  );
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}
