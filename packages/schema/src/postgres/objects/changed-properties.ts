import { isOf, type PostgresObject } from "../../model/schema.js";
import type { PropertyName } from "../../model/vocabulary.js";
import { CONSTRAINTS } from "./names.js";

/** Properties that are set after all objects exist. */
export const ATTRIBUTES: readonly PropertyName[] = [
  ...(["comment", "grants", "revoked", "owner", "ownedBy", "columnDetails"] as const),
  ...(["columnGrants", "isClustered", "isReplicaIdentity", "indexComment"] as const),
  ...([
    "statisticsTarget",
    "attachedTo",
    "isInvalid",
    "triggerStates",
    "neededExtensions",
  ] as const),
];

/** Whether a table is dropped and created again when the property changes. */
export function isNewTable(property: PropertyName): boolean {
  const rebuild: readonly PropertyName[] = [
    ...(["partitionKey", "partitionBound", "inherits", "server", "foreignOptions"] as const),
  ];
  return rebuild.includes(property);
}

/** Whether a column is dropped and added again when the property changes. */
export function isNewColumn(property: PropertyName): boolean {
  return property === "generated" || property === "storage";
}

/** The end of a definition of a constraint that was not validated. */
const NOT_VALID = / NOT VALID$/;

/** Whether the two states of a constraint differ only in its validation. */
export function isMoreChecked(
  old: PostgresObject,
  now: PostgresObject,
  changed: readonly PropertyName[],
): boolean {
  if (!isOf(now, CONSTRAINTS) || !isOf(old, CONSTRAINTS)) return false;
  const before = old.values.definition;
  const isChecked = NOT_VALID.test(before) && !NOT_VALID.test(now.values.definition);
  return (
    changed.every((property) => property === "definition" || ATTRIBUTES.includes(property)) &&
    isChecked &&
    before.replace(NOT_VALID, "") === now.values.definition
  );
}

/**
 * Whether PostgreSQL rebuilds the object itself when a column's type changes. It does so for keys
 * on plain columns, but not for expressions that compare with a constant of the old type.
 */
export function isTakenAlong({ kind, values }: PostgresObject): boolean {
  const isPlain = kind === "Index" || kind === "PrimaryKey" || kind === "UniqueConstraint";
  if (!isPlain || values.where !== undefined) return false;
  return !(values.parts ?? []).some((part) => part.expression !== undefined);
}
