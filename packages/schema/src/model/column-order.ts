import type { SchemaObject } from "./schema.js";

type Column = Pick<SchemaObject<"Column">, "name" | "values">;

/** Columns in the order of their table; by name where the position is unknown. */
export function inOrder<C extends Column>(columns: readonly C[]): readonly C[] {
  const place = ({ values }: Column): number => values.position ?? Number.MAX_SAFE_INTEGER;
  return [...columns].sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}
