import type { Kind } from "../../model/kinds.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";

/** The ancestor's column from which a child's column is inherited. */
export function inheritedColumn(
  schema: PostgresSchema,
  table: PostgresObject,
  label: string,
): PostgresObject | undefined {
  return inheritedPart(schema, table, "Column", label);
}

/**
 * The column that owns a sequence. An inherited column, which is no object of its own, is the
 * ancestor's column as a part of the table.
 */
export function ownerOf(
  schema: PostgresSchema,
  { values: { ownedBy, columnName } }: PostgresObject,
): PostgresObject<"Column"> | undefined {
  const owner = schema.find(ownedBy?.ref);
  if (owner === undefined || columnName === undefined)
    return owner?.kind === "Column" ? owner : undefined;
  const column = inheritedColumn(schema, owner, columnName);
  return column?.kind === "Column" ? { ...column, parent: owner.id } : undefined;
}

/** The original of an inherited part, such as a check: the part of the ancestor that declares it. */
export function inheritedPart(
  schema: PostgresSchema,
  { values }: PostgresObject,
  kind: Kind,
  label: string,
): PostgresObject | undefined {
  for (const part of values.inherits ?? []) {
    const table = schema.find(part.table.ref);
    if (table === undefined) continue;
    const own = schema.partsOf(table.id, kind).find(({ name }) => name === label);
    const found = own ?? inheritedPart(schema, table, kind, label);
    if (found !== undefined) return found;
  }
  return undefined;
}
