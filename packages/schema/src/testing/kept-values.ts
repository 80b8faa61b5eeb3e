import type { Schema, SchemaObject } from "../model/schema.js";

/**
 * Reads the values of a column, ordered by the column `id`.
 * @param column the column in `schema`.
 */
type ReadValues = (schema: Schema, column: SchemaObject) => Promise<readonly string[]>;

/** The values of all columns of a schema, by column id. */
export async function valuesIn(
  schema: Schema,
  read: ReadValues,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const values = new Map<string, readonly string[]>();
  for (const column of schema.all("Column")) values.set(column.id, await read(schema, column));
  return values;
}

/** Columns whose values are missing or changed. */
export function lostValues(
  before: ReadonlyMap<string, readonly string[]>,
  after: ReadonlyMap<string, readonly string[]>,
  isSame: (one: string, other: string) => boolean,
): readonly string[] {
  return [...before].flatMap(([id, values]) => {
    const now = after.get(id);
    const isKept =
      now?.length === values.length && values.every((each, at) => isSame(each, now[at] ?? ""));
    return isKept ? [] : [`${id}: ${values.join()} became ${now?.join() ?? "nothing"}`];
  });
}
