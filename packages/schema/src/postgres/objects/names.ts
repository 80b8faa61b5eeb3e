import { assert } from "@steward/kernel/assert.js";
import type { Kind } from "../../model/kinds.js";
import {
  nameOf,
  type PostgresObject,
  type PostgresSchema,
  type SchemaObject,
} from "../../model/schema.js";
import { isWord, type Token, tokensOf } from "../../sql/sql-tokens.js";

/** Quotes an identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string literal. */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** An object's name, qualified by its schema; a function's name includes its argument types. */
export function qualified(schema: PostgresSchema, object: PostgresObject): string {
  const { kind } = object;
  // The name includes the sort, because opaque objects of different sorts may share a name.
  if (object.kind === "Opaque") return object.name.slice(`${object.values.type} `.length);
  const isWhole = isRoutine(object) || kind === "Operator" || kind === "Cast";
  const name = isWhole ? nameOf(object) : quoteName(nameOf(object));
  const parent = schema.find(object.parent);
  if (parent?.kind === "Table" || parent?.kind === "MaterializedView") {
    return `${schemaOfTable(schema, parent)}.${name}`;
  }
  return parent?.kind === "Schema" ? `${quoteName(parent.name)}.${name}` : name;
}

function schemaOfTable(schema: PostgresSchema, table: PostgresObject): string {
  return quoteName(nameOf(schema.above(table)));
}

/** The table or domain that an index, constraint, trigger or policy is on. */
export function onOf(schema: PostgresSchema, object: PostgresObject): string {
  return qualified(schema, schema.above(object));
}

/** Whether the object is a function or procedure, whose name includes its argument types. */
export function isRoutine({ kind }: PostgresObject): boolean {
  return kind === "Function" || kind === "Procedure" || kind === "Aggregate";
}

/** Whether the table is a foreign table. */
export function isForeign({ kind, values }: Pick<SchemaObject, "kind" | "values">): boolean {
  return kind === "Table" && values.server !== undefined;
}

export const CONSTRAINTS = [
  ...(["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const),
  "ExclusionConstraint",
] as const satisfies readonly Kind[];

export type ConstraintKind = (typeof CONSTRAINTS)[number];

/** Kinds that consist of a definition only and store no data. */
export const DEFINED: readonly Kind[] = [
  ...(["Aggregate", "Operator", "Cast", "Collation", "Rule", "Statistics", "Publication"] as const),
  ...(["ForeignDataWrapper", "ForeignServer", "RangeType", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
];

/** The keyword for an object of this kind in SQL. */
export const WORDS: Readonly<Partial<Record<PostgresObject["kind"], string>>> = {
  Schema: "SCHEMA",
  Extension: "EXTENSION",
  Table: "TABLE",
  View: "VIEW",
  MaterializedView: "MATERIALIZED VIEW",
  Sequence: "SEQUENCE",
  Index: "INDEX",
  EnumType: "TYPE",
  CompositeType: "TYPE",
  RangeType: "TYPE",
  Domain: "DOMAIN",
  Function: "FUNCTION",
  Procedure: "PROCEDURE",
  Aggregate: "AGGREGATE",
  Operator: "OPERATOR",
  Cast: "CAST",
  Collation: "COLLATION",
  Statistics: "STATISTICS",
  Publication: "PUBLICATION",
  ForeignDataWrapper: "FOREIGN DATA WRAPPER",
  ForeignServer: "SERVER",
  TextSearchDictionary: "TEXT SEARCH DICTIONARY",
  TextSearchConfiguration: "TEXT SEARCH CONFIGURATION",
};

/** The keyword for this object in SQL. */
export function wordOf(object: PostgresObject): string {
  if (object.kind === "Opaque") return object.values.type;
  return isForeign(object) ? "FOREIGN TABLE" : keywordOf(object.kind);
}

/** The keyword for a kind that has one. */
export function keywordOf(kind: Kind): string {
  const word = WORDS[kind];
  assert(word !== undefined, `SQL has a keyword for the kind ${kind}`);
  return word;
}

/** All names that occur in a piece of SQL. */
export function namesIn(sql: string): ReadonlySet<string> {
  return new Set(tokensOf(sql, "postgres").flatMap((token) => nameIn(token) ?? []));
}

/** The name that a token may stand for. */
export function nameIn(token: Token): string | undefined {
  if (token.type === "name") return token.value;
  return token.type === "word" && !isWord(token, "NULL") ? token.value : undefined;
}
