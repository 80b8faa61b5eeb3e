/** Namespace of the vocabulary's terms. */
export const NAMESPACE = "urn:steward:schema#";

/** The type of a property's value: a literal, another object, or an ordered list of parts. */
export type Range = "string" | "boolean" | "integer" | "reference" | "parts";

export interface Property {
  readonly range: Range;
  readonly comment: string;
  /**
   * Whether the property belongs to the layout, which is stored but not part of the schema's
   * meaning.
   */
  readonly isLayout?: true;
}

const TABLE = {
  dialect: { range: "string", comment: "The engine: sqlite or postgres." },
  position: {
    range: "integer",
    comment:
      "Place of a column in its table, or of a SQLite table in the database, from 1. Kept beside the schema.",
    isLayout: true,
  },
  nativeId: {
    range: "string",
    comment: "What the engine itself knows the object by: an oid, or an oid and an attnum.",
    isLayout: true,
  },
  statedAt: {
    range: "reference",
    comment: "The column that a check was written at, and goes with when SQLite drops it.",
    isLayout: true,
  },
  type: { range: "string", comment: "A column's or domain's type as declared, in one spelling." },
  affinity: { range: "string", comment: "What SQLite makes of the declared type." },
  notNull: { range: "boolean", comment: "Whether NULL is refused." },
  notNullConflict: { range: "string", comment: "What SQLite does with a NULL: ON CONFLICT." },
  notNullName: { range: "string", comment: "Name of the NOT NULL constraint, where it has one." },
  default: { range: "string", comment: "Expression of the default." },
  collation: { range: "string", comment: "Collation of a column, domain or index part." },
  generated: { range: "string", comment: "Expression of a generated column." },
  storage: { range: "string", comment: "Of a generated column: virtual or stored." },
  identity: { range: "string", comment: "Of an identity column: always or by default." },
  sequenceOptions: { range: "string", comment: "Options of a sequence or an identity column." },
  isStrict: { range: "boolean", comment: "Whether the SQLite table is STRICT." },
  isWithoutRowid: { range: "boolean", comment: "Whether the SQLite table is WITHOUT ROWID." },
  isAutoincrement: { range: "boolean", comment: "Whether the key is AUTOINCREMENT." },
  columns: { range: "parts", comment: "Columns of a key or a foreign key, in their order." },
  parts: { range: "parts", comment: "Columns or expressions of an index, in their order." },
  conflict: { range: "string", comment: "What SQLite does when the constraint fails." },
  expression: { range: "string", comment: "Expression of a check or of an index part." },
  target: { range: "reference", comment: "The table that a foreign key points to." },
  targetName: { range: "string", comment: "The table pointed to, where there is none." },
  targetColumn: { range: "reference", comment: "The column pointed to." },
  targetColumnName: { range: "string", comment: "The column pointed to, where there is none." },
  onDelete: { range: "string", comment: "What becomes of rows whose parent is deleted." },
  onUpdate: { range: "string", comment: "What becomes of rows whose parent's key changes." },
  match: { range: "string", comment: "How NULLs in a foreign key are matched." },
  deferrable: { range: "string", comment: "deferred or immediate, where it can be deferred." },
  isUnique: { range: "boolean", comment: "Whether an index refuses equal entries." },
  column: { range: "reference", comment: "The column of a part." },
  columnName: {
    range: "string",
    comment: "The column of a part, or of a sequence, where it is none of the table's.",
  },
  order: { range: "string", comment: "Order of an index part: desc; ascending otherwise." },
  where: { range: "string", comment: "Condition of a partial index." },
  definition: { range: "string", comment: "What the object is, in the engine's own words." },
  columnNames: { range: "string", comment: "Names of a view's columns, where they are given." },
  shownColumns: {
    range: "parts",
    comment: "The columns that a view or a virtual table comes to have, with their types.",
    isLayout: true,
  },
  timing: { range: "string", comment: "When a trigger fires: before, after, instead of." },
  event: { range: "string", comment: "What a trigger fires on." },
  on: { range: "reference", comment: "The table or view that a trigger or a policy belongs to." },
  when: { range: "string", comment: "Condition of a trigger." },
  body: { range: "string", comment: "What a trigger does." },
  dependsOn: { range: "parts", comment: "Objects that must be there first.", isLayout: true },
  comment: { range: "string", comment: "What the object's COMMENT says." },
  owner: {
    range: "string",
    comment: "The owning role, where it is not the one that manages the schema.",
  },
  grants: { range: "parts", comment: "Who else may do what." },
  options: { range: "string", comment: "Storage and view options." },
  persistence: { range: "string", comment: "unlogged, where a table is." },
  rowSecurity: { range: "string", comment: "enabled, or forced for the owner too." },
  partitionKey: { range: "string", comment: "How a table is partitioned." },
  partitionBound: { range: "string", comment: "Which rows a partition has." },
  inherits: { range: "parts", comment: "Tables that a table inherits from, or is a partition of." },
  schemaName: { range: "string", comment: "The schema that an extension is in." },
  ownedBy: {
    range: "reference",
    comment: "The column that a sequence goes with, or the table that inherits this column.",
  },
  labels: { range: "parts", comment: "Values of an enum, in their order." },
  attributes: { range: "parts", comment: "Attributes of a composite type, in their order." },
  returns: { range: "string", comment: "What a function returns." },
  signature: { range: "string", comment: "Arguments of a function, with names and defaults." },
  enabled: { range: "string", comment: "How a trigger is enabled, where not as usual." },
  isInvalid: {
    range: "boolean",
    comment: "Whether an index was left unfinished, or a partitioned one lacks parts.",
  },
  revoked: {
    range: "parts",
    comment: "Rights that go without saying for such an object, and that nobody has here.",
  },
  sequenceGrants: { range: "parts", comment: "Who else may use an identity column's sequence." },
  version: { range: "string", comment: "Version of an extension." },
  columnStorage: { range: "string", comment: "How a column's values are stored, where said." },
  compression: { range: "string", comment: "How a column's values are compressed, where said." },
  statisticsTarget: { range: "string", comment: "How much is kept of what the values are like." },
  columnDetails: {
    range: "parts",
    comment: "What is said of columns that are none of its own: a view's, or inherited ones.",
  },
  columnGrants: {
    range: "parts",
    comment: "Who may do what with columns that are none of its own.",
  },
  isClustered: { range: "boolean", comment: "Whether CLUSTER orders the table by this index." },
  replicaIdentity: {
    range: "string",
    comment: "What replication knows old rows by, where it is no key: full, nothing.",
  },
  isReplicaIdentity: {
    range: "boolean",
    comment: "Whether replication knows old rows by this index.",
  },
  indexComment: { range: "string", comment: "What the COMMENT of a constraint's index says." },
  server: { range: "string", comment: "The server that a foreign table is at." },
  foreignOptions: { range: "string", comment: "Options of a foreign table or of its column." },
  grantee: { range: "string", comment: "Role of a grant, PUBLIC, or OWNER: whoever that is." },
  privilege: { range: "string", comment: "What is granted." },
  isGrantable: { range: "boolean", comment: "Whether it may be passed on." },
  label: { range: "string", comment: "A value of an enum, or the name of an attribute." },
  table: { range: "reference", comment: "A table inherited from." },
  needs: { range: "reference", comment: "An object that must be there first." },
  ofType: {
    range: "reference",
    comment: "The composite type that a typed table has its columns from.",
  },
  accessMethod: { range: "string", comment: "How rows are kept, where not as a heap." },
  isDetachPending: {
    range: "boolean",
    comment: "Whether a partition's DETACH CONCURRENTLY has begun and not ended.",
  },
  triggerDetails: {
    range: "parts",
    comment: "What is said of a partition's copies of its parent's triggers.",
  },
  constraintDetails: {
    range: "parts",
    comment: "What is said of a child's copies of its parents' check constraints.",
  },
  isValidated: {
    range: "boolean",
    comment: "Whether rows were checked that the parent's constraint has not looked at.",
  },
  notNullState: {
    range: "string",
    comment: "Of a NOT NULL constraint: NO INHERIT, NOT VALID, where it is so.",
  },
  attachedTo: {
    range: "reference",
    comment: "The parent's index or constraint that a partition's is a part of.",
  },
  triggerStates: {
    range: "string",
    comment: "The engine's own triggers of a constraint that do not fire as usual.",
  },
  neededExtensions: { range: "parts", comment: "Extensions that the object is dropped with." },
  isOutOfReach: {
    range: "boolean",
    comment: "Whether only a superuser may make it, which whoever read the schema is not.",
    isLayout: true,
  },
} as const satisfies Readonly<Record<string, Property>>;

export type PropertyName = keyof typeof TABLE;

/** The type of the value of property P. */
export type RangeOf<P extends PropertyName> = (typeof TABLE)[P]["range"];

export const PROPERTIES: Readonly<Record<PropertyName, Property>> = TABLE;
