import type { Kind } from "../../model/kinds.js";
import { idIn, partsIn, type Schema, type SchemaObject } from "../../model/schema.js";

/** The ancestor's column from which a child's column is inherited. */
export function inheritedColumn(
  schema: Schema,
  table: SchemaObject,
  label: string,
): SchemaObject | undefined {
  return inheritedPart(schema, table, "Column", label);
}

/** The original of an inherited part, such as a check: the part of the ancestor that declares it. */
export function inheritedPart(
  schema: Schema,
  { values }: SchemaObject,
  kind: Kind,
  label: string,
): SchemaObject | undefined {
  for (const part of partsIn(values, "inherits")) {
    const table = schema.find(idIn(part, "table") ?? "");
    if (table === undefined) continue;
    const own = schema.partsOf(table.id, kind).find(({ name }) => name === label);
    const found = own ?? inheritedPart(schema, table, kind, label);
    if (found !== undefined) return found;
  }
  return undefined;
}
