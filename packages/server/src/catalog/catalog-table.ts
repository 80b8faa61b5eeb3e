import { createHash } from "node:crypto";
import type { Dialect } from "../governance/index.js";
import type { Relation, RelationColumn, RelationKey } from "@steward/schema";
import type { Metric, SourceNotes } from "./ports.js";
import { present } from "../kernel/present.js";
import { quoted } from "../kernel/written-name.js";

/** A column of a {@link CatalogTable}. */
export interface CatalogColumn {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: boolean;
  /** Description by the owner, or else the database's COMMENT. */
  readonly description?: string;
  readonly enumValues?: readonly string[];
}

/** A table or view with all information that does not require reading its rows. */
export interface CatalogTable {
  /** The name in an agent's statement. */
  readonly name: string;
  /** The name in policies: lower case; on PostgreSQL with its schema. */
  readonly policyName: string;
  /** The schema in it; empty on SQLite. */
  readonly policySchema: string;
  /** The name quoted for a query; on PostgreSQL with its schema. */
  readonly quotedName: string;
  readonly kind: "table" | "view";
  /** Description by the owner, or else the database's COMMENT. */
  readonly description?: string;
  /** Questions that the owner says the table answers. */
  readonly questions: readonly string[];
  /** Figures that the owner has defined; absent: none. */
  readonly metrics?: readonly Metric[];
  readonly columns: readonly CatalogColumn[];
  readonly primaryKey: readonly string[];
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly foreignKeys: readonly RelationKey[];
  /** SHA-256 of everything above, in hexadecimal. */
  readonly fingerprint: string;
}

/** Combines a table with its owner's notes. A note replaces the database's comment. */
export function catalogTable(relation: Relation, notes?: SourceNotes): CatalogTable {
  const { name, bareName, schemaName, kind, primaryKey, uniqueKeys, foreignKeys } = relation;
  const said = notes?.tables.get(name.toLowerCase());
  const table = {
    name,
    policyName: [...(schemaName === undefined ? [] : [schemaName]), bareName]
      .join(".")
      .toLowerCase(),
    policySchema: schemaName?.toLowerCase() ?? "",
    quotedName: [...(schemaName === undefined ? [] : [schemaName]), bareName].map(quoted).join("."),
    kind,
    ...describedAs(said?.description ?? relation.comment),
    questions: said?.questions ?? [],
    ...present({ metrics: said?.metrics }),
    columns: relation.columns.map((column) =>
      catalogColumn(column, said?.columns.get(column.name.toLowerCase())),
    ),
    ...{ primaryKey, uniqueKeys, foreignKeys },
  };
  const fingerprint = createHash("sha256").update(JSON.stringify(table)).digest("hex");
  return { ...table, fingerprint };
}

/** The columns of a table that a metric is about: those that it names. */
export function columnsOfMetric(
  { expression, dimensions }: Metric,
  { columns }: CatalogTable,
): readonly string[] {
  const words = new Set(
    [expression, ...dimensions].flatMap(
      (text) => text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? [],
    ),
  );
  return columns.flatMap(({ name }) => {
    const own = name.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? [];
    return own.every((word) => words.has(word)) ? [name] : [];
  });
}

function catalogColumn(column: RelationColumn, note: string | undefined): CatalogColumn {
  const { name, type, isNotNull, enumValues, comment } = column;
  return {
    ...{ name, type, isNotNull },
    ...describedAs(note ?? comment),
    ...(enumValues === undefined ? {} : { enumValues }),
  };
}

function describedAs(text: string | undefined): { readonly description?: string } {
  return text === undefined || text.trim() === "" ? {} : { description: text.trim() };
}

/**
 * Normalizes a table's name for lookup: any case is accepted, with or without the schema `public`.
 */
export function lookupName(name: string, dialect: Dialect): string {
  const plain = name.replaceAll('"', "").trim().toLowerCase();
  return dialect === "postgres" && plain.startsWith("public.")
    ? plain.slice("public.".length)
    : plain;
}
