import type { Kind } from "./kinds.js";
import type { PropertyName } from "./vocabulary.js";

/** The properties of the parts of a list. */
export interface ListDescription {
  readonly required: readonly PropertyName[];
  readonly optional: readonly PropertyName[];
}

const COLUMN = ["column", "columnName"] as const satisfies readonly PropertyName[];
const GRANT = ["grantee", "privilege"] as const satisfies readonly PropertyName[];

/** The lists of parts that properties hold. */
const TABLE = {
  /** Columns of a key; for a foreign key also the columns that they reference. */
  columns: {
    required: [],
    optional: [...COLUMN, "targetColumn", "targetColumnName", "expression", "collation", "order"],
  },
  /** Columns or expressions of an index. */
  parts: { required: [], optional: [...COLUMN, "expression", "collation", "order"] },
  /** Statements of an opaque object; tables and schemas of a publication. */
  statements: { required: ["definition"], optional: [] },
  /** Dictionaries of a text search configuration, by token. */
  mappings: { required: ["label", "definition"], optional: [] },
  shownColumns: { required: ["columnName"], optional: ["type"] },
  dependsOn: { required: ["needs"], optional: [] },
  grants: { required: GRANT, optional: ["isGrantable"] },
  revoked: { required: GRANT, optional: ["isGrantable"] },
  sequenceGrants: { required: GRANT, optional: ["isGrantable"] },
  columnGrants: { required: [...GRANT, "columnName"], optional: ["isGrantable"] },
  inherits: { required: ["table"], optional: [] },
  labels: { required: ["label"], optional: [] },
  attributes: { required: ["label", "type"], optional: ["collation"] },
  columnDetails: {
    required: ["label"],
    optional: [
      ...(["comment", "default", "generated", "foreignOptions", "notNull"] as const),
      ...(["columnStorage", "compression", "statisticsTarget", "options"] as const),
    ],
  },
  triggerDetails: { required: ["label"], optional: ["comment", "enabled"] },
  constraintDetails: { required: ["label"], optional: ["comment", "isValidated"] },
  neededExtensions: { required: ["label"], optional: [] },
} as const satisfies Readonly<Record<string, ListDescription>>;

export type ListTable = typeof TABLE;
export type ListName = keyof ListTable;

export const LISTS: Readonly<Record<ListName, ListDescription>> = TABLE;

/** The list that `parts` holds, where it does not hold the parts of an index. */
const OTHER_PARTS = {
  Opaque: "statements",
  Publication: "statements",
  TextSearchConfiguration: "mappings",
} as const satisfies Readonly<Partial<Record<Kind, ListName>>>;

export type OtherParts = typeof OTHER_PARTS;

/** The list that a property of a kind holds. */
export function listOf(kind: Kind, property: PropertyName): ListDescription | undefined {
  const others: Readonly<Partial<Record<Kind, ListName>>> = OTHER_PARTS;
  const name = property === "parts" ? (others[kind] ?? property) : property;
  // The name was looked up in the table.
  return name in LISTS ? LISTS[name as ListName] : undefined;
}

/** The properties that a part of a list may have. */
export const PART_PROPERTIES: readonly PropertyName[] = [
  ...new Set(Object.values(LISTS).flatMap(({ required, optional }) => [...required, ...optional])),
];
