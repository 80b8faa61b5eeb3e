import { idIn, partsIn, type Schema, type SchemaObject } from "../schema.js";

/** The column that a child's is inherited from. */
export function inheritedColumn(
  schema: Schema,
  { values }: SchemaObject,
  label: string,
): SchemaObject | undefined {
  for (const part of partsIn(values, "inherits")) {
    const table = schema.find(idIn(part, "table") ?? "");
    if (table === undefined) continue;
    const own = schema.partsOf(table.id, "Column").find(({ name }) => name === label);
    const found = own ?? inheritedColumn(schema, table, label);
    if (found !== undefined) return found;
  }
  return undefined;
}
