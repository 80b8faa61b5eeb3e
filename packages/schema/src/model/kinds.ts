import type { PropertyName } from "./vocabulary.js";

/** The supported engines. */
export type Dialect = "sqlite" | "postgres";

/** A kind of object: its description and its properties. */
export interface KindDescription {
  readonly comment: string;
  readonly properties: readonly PropertyName[];
  /** Properties that every object of the kind has. */
  readonly required?: readonly PropertyName[];
  /** Properties that every object of the kind has on one engine. */
  readonly requiredOn?: Readonly<Partial<Record<Dialect, readonly PropertyName[]>>>;
  /** Where objects of the kind may lack a name. Absent: nowhere. */
  readonly isUnnamedOn?: "sqlite" | "everywhere";
}

/** Properties of nearly every PostgreSQL object. */
const COMMON = [
  "comment",
  "owner",
  "grants",
  "revoked",
  "nativeId",
  "dependsOn",
] as const satisfies readonly PropertyName[];

/**
 * Every kind of object. The types of schema objects, the check of decoded objects and the published
 * vocabulary all follow from this table.
 */
const TABLE = {
  Database: {
    comment: "A database.",
    properties: ["dialect", "nativeId"],
    required: ["dialect"],
    isUnnamedOn: "everywhere",
  },
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
    requiredOn: { postgres: ["type"] },
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
    requiredOn: { postgres: ["definition"] },
    isUnnamedOn: "sqlite",
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
    requiredOn: { postgres: ["definition"] },
    isUnnamedOn: "sqlite",
  },
  CheckConstraint: {
    comment: "A check constraint.",
    properties: ["expression", "conflict", "statedAt", "definition", ...COMMON],
    requiredOn: { sqlite: ["expression"], postgres: ["definition"] },
    isUnnamedOn: "sqlite",
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
    requiredOn: { postgres: ["definition"] },
    isUnnamedOn: "sqlite",
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
    required: ["parts"],
    requiredOn: { sqlite: ["on"], postgres: ["definition"] },
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
    requiredOn: { sqlite: ["on", "timing", "event", "body"], postgres: ["definition"] },
  },
  Schema: {
    comment: "A schema of PostgreSQL.",
    properties: ["comment", "grants", "owner", "nativeId", "dependsOn"],
  },
  Extension: {
    comment: "An extension of PostgreSQL.",
    properties: ["schemaName", "version", ...COMMON],
    required: ["schemaName", "version"],
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
    required: ["definition"],
  },
  Domain: {
    comment: "A domain.",
    properties: ["type", "notNull", "default", "collation", ...COMMON],
    required: ["type"],
  },
  Sequence: {
    comment: "A sequence.",
    properties: ["sequenceOptions", "ownedBy", "columnName", "persistence", ...COMMON],
    required: ["sequenceOptions"],
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
    required: ["definition"],
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
    required: ["definition"],
  },
  Function: {
    comment: "A function.",
    properties: ["definition", "returns", "signature", "neededExtensions", ...COMMON],
    required: ["definition"],
  },
  Procedure: {
    comment: "A procedure.",
    properties: ["definition", "signature", "neededExtensions", ...COMMON],
    required: ["definition"],
  },
  Policy: {
    comment: "A row security policy.",
    properties: ["definition", ...COMMON],
    required: ["definition"],
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
    // A wrapper without a handler, a validator and options has no definition.
    properties: ["definition", ...COMMON],
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
} as const satisfies Readonly<Record<string, KindDescription>>;

export type KindTable = typeof TABLE;
export type Kind = keyof KindTable;

/** {@link KindTable}, to look up a kind that is only known at run time. */
export const KINDS: Readonly<Record<Kind, KindDescription>> = TABLE;
