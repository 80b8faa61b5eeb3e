import type { Relation } from "@steward/schema";

/**
 * The columns of a constraint, by the name that PostgreSQL gives it; `undefined` for a name that somebody chose, or that
 * was too long.
 */
export function columnsByConstraintName(
  { bareName, primaryKey, uniqueKeys, foreignKeys, columns }: Relation,
  name: string,
): readonly string[] | undefined {
  if (name === `${bareName}_pkey`) return primaryKey;
  const isNamed = (suffixes: readonly string[]) => (key: readonly string[]) =>
    suffixes.some((suffix) => name === [bareName, ...key, suffix].join("_"));
  return (
    uniqueKeys.find(isNamed(["key", "idx"])) ??
    foreignKeys.map((key) => key.columns).find(isNamed(["fkey"])) ??
    columns.map((column) => [column.name]).find(isNamed(["check"]))
  );
}
