import type { Kind } from "../../model/kinds.js";
import { type Schema, type SchemaObject, textOf } from "../../model/schema.js";
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
export function qualified(schema: Schema, object: SchemaObject): string {
  const { kind, values } = object;
  // The name includes the sort, because opaque objects of different sorts may share a name.
  if (kind === "Opaque")
    return (object.name ?? "").slice(`${textOf(values, "type") ?? ""} `.length);
  const isWhole = isRoutine(object) || kind === "Operator" || kind === "Cast";
  const name = isWhole ? (object.name ?? "") : quoteName(object.name ?? "");
  const parent = object.parent === undefined ? undefined : schema.find(object.parent);
  if (parent?.kind === "Table" || parent?.kind === "MaterializedView") {
    return `${schemaOfTable(schema, parent)}.${name}`;
  }
  return parent?.kind === "Schema" ? `${quoteName(parent.name ?? "")}.${name}` : name;
}

function schemaOfTable(schema: Schema, table: SchemaObject): string {
  return quoteName(schema.get(table.parent ?? "").name ?? "");
}

/** Whether the object is a function or procedure, whose name includes its argument types. */
export function isRoutine({ kind }: SchemaObject): boolean {
  return kind === "Function" || kind === "Procedure" || kind === "Aggregate";
}

/** Whether the table is a foreign table. */
export function isForeign({ kind, values }: SchemaObject): boolean {
  return kind === "Table" && values.server !== undefined;
}

export const CONSTRAINTS: readonly Kind[] = [
  ...(["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const),
  "ExclusionConstraint",
];

/** Kinds that consist of a definition only and store no data. */
export const DEFINED: readonly Kind[] = [
  ...(["Aggregate", "Operator", "Cast", "Collation", "Rule", "Statistics", "Publication"] as const),
  ...(["ForeignDataWrapper", "ForeignServer", "RangeType", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
];

/** The keyword for an object of this kind in SQL. */
export const WORDS: Readonly<Partial<Record<SchemaObject["kind"], string>>> = {
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
export function wordOf(object: SchemaObject): string {
  if (object.kind === "Opaque") return textOf(object.values, "type") ?? "";
  return isForeign(object) ? "FOREIGN TABLE" : (WORDS[object.kind] ?? "");
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
