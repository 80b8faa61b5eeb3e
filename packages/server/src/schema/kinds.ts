import type { PropertyName } from "./vocabulary.js";

/** A class of objects, what it is, and what it can have. */
export interface KindDescription {
  readonly comment: string;
  readonly properties: readonly PropertyName[];
  readonly required?: readonly PropertyName[];
}

/** The name of a kind. */
export type Kind =
  | "Database"
  | "Table"
  | "VirtualTable"
  | "Column"
  | "PrimaryKey"
  | "UniqueConstraint"
  | "CheckConstraint"
  | "ForeignKey"
  | "Index"
  | "View"
  | "Trigger"
  | "Schema"
  | "Extension"
  | "EnumType"
  | "CompositeType"
  | "RangeType"
  | "Domain"
  | "Sequence"
  | "MaterializedView"
  | "ExclusionConstraint"
  | "Function"
  | "Procedure"
  | "Policy";

/** What PostgreSQL has for nearly everything. */
const COMMON = [
  "comment",
  "owner",
  "grants",
  "nativeId",
  "dependsOn",
] as const satisfies readonly PropertyName[];

/** Every kind of object. A part has the properties that are given with its list. */
export const KINDS: Readonly<Record<Kind, KindDescription>> = {
  Database: { comment: "A database.", properties: ["dialect", "nativeId"], required: ["dialect"] },
  Table: {
    comment: "A table.",
    properties: [
      "isStrict",
      "isWithoutRowid",
      "persistence",
      "options",
      "rowSecurity",
      "partitionKey",
      "partitionBound",
      "inherits",
      ...COMMON,
    ],
  },
  VirtualTable: {
    comment: "A table that a module of SQLite provides.",
    properties: ["definition", "shownColumns"],
    required: ["definition"],
  },
  Column: {
    comment: "A column of a table.",
    properties: [
      "position",
      "type",
      "affinity",
      "notNull",
      "notNullConflict",
      "notNullName",
      "default",
      "collation",
      "generated",
      "storage",
      "identity",
      "sequenceOptions",
      ...COMMON,
    ],
  },
  PrimaryKey: {
    comment: "A primary key.",
    properties: ["columns", "conflict", "isAutoincrement", "definition", ...COMMON],
    required: ["columns"],
  },
  UniqueConstraint: {
    comment: "A unique constraint.",
    properties: ["columns", "conflict", "definition", ...COMMON],
    required: ["columns"],
  },
  CheckConstraint: {
    comment: "A check constraint.",
    properties: ["expression", "conflict", "statedAt", "definition", ...COMMON],
  },
  ForeignKey: {
    comment: "A foreign key.",
    properties: [
      "columns",
      "target",
      "targetName",
      "onDelete",
      "onUpdate",
      "match",
      "deferrable",
      "definition",
      ...COMMON,
    ],
    required: ["columns"],
  },
  Index: {
    comment: "An index that is no constraint's.",
    properties: ["on", "isUnique", "parts", "where", "definition", "isInvalid", ...COMMON],
  },
  View: {
    comment: "A view.",
    properties: ["columnNames", "shownColumns", "definition", "options", ...COMMON],
    required: ["definition"],
  },
  Trigger: {
    comment: "A trigger.",
    properties: ["on", "timing", "event", "when", "body", "definition", "enabled", ...COMMON],
  },
  Schema: {
    comment: "A schema of PostgreSQL.",
    properties: ["comment", "grants", "owner", "nativeId", "dependsOn"],
  },
  Extension: {
    comment: "An extension of PostgreSQL.",
    properties: ["schemaName", ...COMMON],
  },
  EnumType: {
    comment: "An enum.",
    properties: ["labels", ...COMMON],
  },
  CompositeType: {
    comment: "A composite type.",
    properties: ["attributes", ...COMMON],
  },
  RangeType: {
    comment: "A range type.",
    properties: ["type", ...COMMON],
  },
  Domain: {
    comment: "A domain.",
    properties: ["type", "notNull", "default", "collation", ...COMMON],
  },
  Sequence: {
    comment: "A sequence.",
    properties: ["sequenceOptions", "ownedBy", ...COMMON],
  },
  MaterializedView: {
    comment: "A materialized view.",
    properties: ["definition", "shownColumns", "options", ...COMMON],
  },
  ExclusionConstraint: {
    comment: "An exclusion constraint.",
    properties: ["definition", ...COMMON],
  },
  Function: {
    comment: "A function.",
    properties: ["definition", "returns", "signature", ...COMMON],
  },
  Procedure: {
    comment: "A procedure.",
    properties: ["definition", "signature", ...COMMON],
  },
  Policy: {
    comment: "A row security policy.",
    properties: ["definition", ...COMMON],
  },
};

/** The properties of a part of a list. */
export const PART_PROPERTIES: readonly PropertyName[] = [
  "column",
  "columnName",
  "expression",
  "collation",
  "order",
  "targetColumn",
  "targetColumnName",
  "grantee",
  "privilege",
  "isGrantable",
  "label",
  "type",
  "table",
  "needs",
];
