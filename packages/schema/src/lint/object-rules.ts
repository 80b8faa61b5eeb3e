import type { Kind } from "../model/kinds.js";
import { isForeign } from "../postgres/objects/names.js";
import { isUnchecked } from "../postgres/objects/unchecked.js";
import { ownType, parseTypeName } from "../postgres/types/type-name.js";
import { isPostgres, type Schema, type SchemaObject } from "../model/schema.js";
import type { Operation } from "../model/schema-diff.js";
import { relationOf } from "../changes/table-definition.js";
import type { Finding, Report } from "./finding.js";

/** Kinds of objects that programs name in their statements. */
const NAMED: ReadonlySet<Kind> = new Set<Kind>([
  ...([
    "Schema",
    "Table",
    "VirtualTable",
    "Column",
    "View",
    "MaterializedView",
    "Sequence",
  ] as const),
  ...([
    "Function",
    "Procedure",
    "Aggregate",
    "Operator",
    "Cast",
    "Collation",
    "Extension",
  ] as const),
  ...(["EnumType", "CompositeType", "RangeType", "Domain", "Publication"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration", "Opaque"] as const),
]);
/** Kinds of objects that restrict which rows are allowed. */
const RULES: ReadonlySet<Kind> = new Set<Kind>([
  ...(["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const),
  "ExclusionConstraint",
]);
/**
 * Kinds of objects that act beside a program's statements, and what changes for programs with them.
 */
const EFFECTS: Readonly<Partial<Record<Kind, string>>> = {
  Trigger: "the side effects of writes change",
  Rule: "the effect of statements on it changes",
  Policy: "the rows that a role may see and write change",
};

/** Findings about a dropped object, apart from data loss. */
export function droppedRules(object: SchemaObject, report: Report): readonly Finding[] {
  const effect = EFFECTS[object.kind];
  return [
    ...(NAMED.has(object.kind)
      ? [report("backward-incompatible", "statements that still use it fail")]
      : []),
    ...(effect === undefined ? [] : [report("backward-incompatible", effect)]),
    ...(isRule(object)
      ? [report("irreversible-down", "rows that violate it by then stop the down migration")]
      : []),
    ...(isUnique(object)
      ? [
          report(
            "backward-incompatible",
            "INSERT … ON CONFLICT that needs it fails, and duplicate rows are accepted",
          ),
        ]
      : []),
  ];
}

/** Findings about a renamed or moved object. */
export function renamedRules(
  operation: Extract<Operation, { action: "rename" }>,
  report: Report,
): readonly Finding[] {
  if (!NAMED.has(operation.kind)) return [];
  const all = operation.kind === "Schema" ? ", or an object in it," : "";
  return [
    report("backward-incompatible", `statements that still call it${all} ${operation.from} fail`),
  ];
}

/** Findings about a created object. */
export function createdRules(
  base: Schema,
  target: Schema,
  created: SchemaObject,
  report: Report,
): readonly Finding[] {
  const { kind } = created;
  const on = target.find(relationOf(created));
  if (on === undefined || !isOld(base, on)) return [];
  if (created.kind === "Column") return newColumnRules(target, created, report);
  const effect = EFFECTS[kind];
  return [
    ...(isRule(created) ? ruleFindings(created, report) : []),
    ...(created.kind === "ForeignKey" ? foreignKeyRules(target, created, report) : []),
    ...(effect === undefined ? [] : [report("backward-incompatible", effect)]),
  ];
}

/** Findings about a condition that rows did not have to meet before. */
export function ruleFindings(object: SchemaObject, report: Report): readonly Finding[] {
  return [
    ...(isUnchecked(object)
      ? []
      : [
          report(
            "data-dependent",
            isUnique(object)
              ? "duplicate rows stop the migration"
              : "rows that violate it stop the migration",
          ),
        ]),
    report("backward-incompatible", "writes that violate it fail"),
  ];
}

/**
 * A finding about a new partition of a table that has a default partition: creating it fails when
 * the default partition holds rows that belong to the new one.
 */
export function newPartitionRules(
  base: Schema,
  created: SchemaObject,
  report: Report,
): readonly Finding[] {
  if (created.values.partitionBound === undefined) return [];
  const parents = (created.values.inherits ?? []).map((part) => part.table.ref);
  const hasDefault = base
    .all("Table")
    .some(
      ({ values }) =>
        values.partitionBound?.toUpperCase() === "DEFAULT" &&
        (values.inherits ?? []).some((part) => parents.includes(part.table.ref)),
    );
  if (!hasDefault) return [];
  return [
    report("data-dependent", "rows in the default partition that belong to it stop the migration"),
  ];
}

function foreignKeyRules(
  target: Schema,
  key: SchemaObject<"ForeignKey">,
  report: Report,
): readonly Finding[] {
  const onDelete = key.values.onDelete;
  const onUpdate = key.values.onUpdate;
  const above = target.find(key.values.target?.ref);
  const name = above === undefined ? "the other table" : target.pathOf(above);
  const columns = key.values.columns.map((part) => part.column?.ref);
  return [
    ...(onDelete === "cascade" || onDelete === "set null" || onDelete === "set default"
      ? [report("backward-incompatible", `deleting rows of ${name} changes rows here: ${onDelete}`)]
      : []),
    ...(onUpdate === undefined || onUpdate === "restrict"
      ? []
      : [
          report(
            "backward-incompatible",
            `updating keys of ${name} changes rows here: ${onUpdate}`,
          ),
        ]),
    ...(isIndexed(target, key.parent, columns)
      ? []
      : [
          report(
            "lock-heavy",
            `no index begins with its columns: each delete in ${name} reads all rows`,
          ),
        ]),
  ];
}

/** Whether an index or key of a table begins with these columns, in any order. */
function isIndexed(
  schema: Schema,
  table: string,
  columns: readonly (string | undefined)[],
): boolean {
  const indexes = schema.all("Index").filter((index) => relationOf(index) === table);
  const keys = schema.partsOf(table, "PrimaryKey", "UniqueConstraint");
  const lists = [
    ...indexes.filter(({ values }) => values.where === undefined).map(({ values }) => values.parts),
    ...keys.map(({ values }) => values.columns),
  ];
  return lists.some((parts) => {
    const first = parts.slice(0, columns.length).map((part) => part.column?.ref);
    return columns.every((column) => column !== undefined && first.includes(column));
  });
}

function newColumnRules(
  target: Schema,
  { values }: SchemaObject<"Column">,
  report: Report,
): readonly Finding[] {
  const { type } = values;
  const domain = isPostgres(target) && type !== undefined ? ownType(target, type) : undefined;
  const isFilled =
    ["default", "generated", "identity"].some((each) => each in values) ||
    domain?.values.default !== undefined;
  const isJson = isPostgres(target) && type !== undefined && parseTypeName(type).name === "json";
  return [
    ...((values.notNull === true || domain?.values.notNull === true) && !isFilled
      ? [
          report("data-dependent", "NOT NULL without a default: it works on an empty table only"),
          report("backward-incompatible", "writes without a value for it fail"),
        ]
      : []),
    ...(isJson
      ? [
          report(
            "backward-incompatible",
            "the type json has no equality: SELECT DISTINCT over it fails",
          ),
        ]
      : []),
  ];
}

/**
 * Whether the object existed before the migration, with rows of its own or with columns that use
 * it.
 */
function isOld(base: Schema, { id }: SchemaObject): boolean {
  const old = base.find(id);
  return old !== undefined && (old.kind === "Domain" || !isForeign(old));
}

export function isRule(object: SchemaObject): boolean {
  return RULES.has(object.kind) || isUnique(object);
}

function isUnique({ kind, values }: SchemaObject): boolean {
  const isKey = kind === "PrimaryKey" || kind === "UniqueConstraint";
  return isKey || (kind === "Index" && values.isUnique === true);
}
