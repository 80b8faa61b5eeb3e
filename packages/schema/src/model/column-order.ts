import type { SchemaObject } from "./schema.js";

/** Columns in the order of their table; by name where the position is unknown. */
export function inOrder(columns: readonly SchemaObject[]): readonly SchemaObject[] {
  const place = ({ values }: SchemaObject): number =>
    typeof values.position === "number" ? values.position : Number.MAX_SAFE_INTEGER;
  const name = (column: SchemaObject): string => column.name ?? "";
  return [...columns].sort((a, b) => place(a) - place(b) || (name(a) < name(b) ? -1 : 1));
}
