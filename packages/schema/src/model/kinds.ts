import type { PropertyName } from "./vocabulary.js";

/** A kind of object: its description and its properties. */
export interface KindDescription {
  readonly comment: string;
  readonly properties: readonly PropertyName[];
  readonly required?: readonly PropertyName[];
}

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
  | "Policy"
  | "Aggregate"
  | "Operator"
  | "Cast"
  | "Collation"
  | "Rule"
  | "Statistics"
  | "Publication"
  | "ForeignDataWrapper"
  | "ForeignServer"
  | "TextSearchDictionary"
  | "TextSearchConfiguration"
  | "DefaultPrivileges"
  | "Opaque"
  | "Unmanaged";

/** Properties of nearly every PostgreSQL object. */
const COMMON = [
  "comment",
  "owner",
  "grants",
  "revoked",
  "nativeId",
  "dependsOn",
] as const satisfies readonly PropertyName[];

/** Every kind of object. The properties of a list's parts are given with the list. */
export const KINDS: Readonly<Record<Kind, KindDescription>> = {
  Database: { comment: "A database.", properties: ["dialect", "nativeId"], required: ["dialect"] },
  Table: {
    comment: "A table.",
    properties: [
      "position",
      "isStrict",
      "isWithoutRowid",
      "persistence",
      "options",
      "rowSecurity",
      "partitionKey",
      "partitionBound",
      "inherits",
      "replicaIdentity",
      "columnDetails",
      "columnGrants",
      "server",
      "foreignOptions",
      "ofType",
      "accessMethod",
      "isDetachPending",
      "triggerDetails",
      "constraintDetails",
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
      "notNullState",
      "default",
      "collation",
      "generated",
      "storage",
      "identity",
      "sequenceOptions",
      "sequenceGrants",
      "columnStorage",
      "compression",
      "statisticsTarget",
      "options",
      "foreignOptions",
      ...COMMON,
    ],
  },
  PrimaryKey: {
    comment: "A primary key.",
    properties: [
      "columns",
      "conflict",
      "isAutoincrement",
      "definition",
      "options",
      "isClustered",
      "isReplicaIdentity",
      "indexComment",
      "isInvalid",
      "attachedTo",
      "triggerStates",
      ...COMMON,
    ],
    required: ["columns"],
  },
  UniqueConstraint: {
    comment: "A unique constraint.",
    properties: [
      "columns",
      "conflict",
      "definition",
      "options",
      "isClustered",
      "isReplicaIdentity",
      "indexComment",
      "isInvalid",
      "attachedTo",
      "triggerStates",
      ...COMMON,
    ],
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
      "attachedTo",
      "triggerStates",
      ...COMMON,
    ],
    required: ["columns"],
  },
  Index: {
    comment: "An index that is no constraint's.",
    properties: [
      "on",
      "isUnique",
      "parts",
      "where",
      "definition",
      "options",
      "attachedTo",
      "neededExtensions",
      "isInvalid",
      "isClustered",
      "isReplicaIdentity",
      ...COMMON,
    ],
  },
  View: {
    comment: "A view.",
    properties: [
      "columnNames",
      "shownColumns",
      "definition",
      "options",
      "columnDetails",
      "columnGrants",
      ...COMMON,
    ],
    required: ["definition"],
  },
  Trigger: {
    comment: "A trigger.",
    properties: [
      ...(["on", "timing", "event", "when", "body", "definition", "enabled"] as const),
      ...(["neededExtensions", ...COMMON] as const),
    ],
  },
  Schema: {
    comment: "A schema of PostgreSQL.",
    properties: ["comment", "grants", "owner", "nativeId", "dependsOn"],
  },
  Extension: {
    comment: "An extension of PostgreSQL.",
    properties: ["schemaName", "version", ...COMMON],
  },
  EnumType: {
    comment: "An enum.",
    properties: ["labels", ...COMMON],
  },
  CompositeType: {
    comment: "A composite type.",
    properties: ["attributes", "columnDetails", ...COMMON],
  },
  RangeType: {
    comment: "A range type.",
    properties: ["definition", ...COMMON],
  },
  Domain: {
    comment: "A domain.",
    properties: ["type", "notNull", "default", "collation", ...COMMON],
  },
  Sequence: {
    comment: "A sequence.",
    properties: ["sequenceOptions", "ownedBy", "persistence", ...COMMON],
  },
  MaterializedView: {
    comment: "A materialized view.",
    properties: [
      "definition",
      "shownColumns",
      "options",
      "accessMethod",
      "neededExtensions",
      "columnDetails",
      "columnGrants",
      ...COMMON,
    ],
  },
  ExclusionConstraint: {
    comment: "An exclusion constraint.",
    properties: [
      "definition",
      "options",
      "isClustered",
      "isReplicaIdentity",
      "indexComment",
      "isInvalid",
      "attachedTo",
      "triggerStates",
      ...COMMON,
    ],
  },
  Function: {
    comment: "A function.",
    properties: ["definition", "returns", "signature", "neededExtensions", ...COMMON],
  },
  Procedure: {
    comment: "A procedure.",
    properties: ["definition", "signature", "neededExtensions", ...COMMON],
  },
  Policy: {
    comment: "A row security policy.",
    properties: ["definition", ...COMMON],
  },
  Aggregate: {
    comment: "An aggregate function.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  Operator: {
    comment: "An operator.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  Cast: {
    comment: "A cast between two types.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  Collation: {
    comment: "A collation.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  Rule: {
    comment: "A rewrite rule.",
    properties: ["definition", "enabled", ...COMMON],
    required: ["definition"],
  },
  Statistics: {
    comment: "Statistics over several columns.",
    properties: ["definition", "statisticsTarget", ...COMMON],
    required: ["definition"],
  },
  Publication: {
    comment: "What is replicated to others.",
    properties: ["definition", "parts", ...COMMON],
    required: ["definition"],
  },
  ForeignDataWrapper: {
    comment: "A foreign data wrapper.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  ForeignServer: {
    comment: "A foreign server.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  TextSearchDictionary: {
    comment: "A text search dictionary.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
  },
  TextSearchConfiguration: {
    comment: "A text search configuration.",
    properties: ["definition", "parts", ...COMMON],
    required: ["definition"],
  },
  DefaultPrivileges: {
    comment: "What a role's new objects of a sort are granted, in a schema or everywhere.",
    properties: ["type", ...COMMON],
    required: ["type"],
  },
  Opaque: {
    comment: "An object that is carried as the statements that make it.",
    properties: ["type", "parts", "isOutOfReach", ...COMMON],
    required: ["type", "parts"],
  },
  Unmanaged: {
    comment: "An object that is seen, and that no migration makes, changes or drops.",
    properties: ["type", "definition", ...COMMON],
    required: ["type"],
  },
};

/** The properties that a part of a list may have. */
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
  "default",
  "notNull",
  "comment",
  "columnStorage",
  "compression",
  "statisticsTarget",
  "options",
  "definition",
  "enabled",
  "isValidated",
  "generated",
  "foreignOptions",
];
