import type { SchemaObject } from "./schema.js";

/** Objects by a key. */
export type ObjectIndex = ReadonlyMap<string, readonly SchemaObject[]>;

/**
 * Builds an index of objects, because a schema may have ten thousand objects and scanning all
 * siblings of each would be quadratic.
 * @param keyOf returns undefined for objects to leave out.
 * @returns the objects of each key, in their original order.
 */
export function indexBy(
  objects: readonly SchemaObject[],
  keyOf: (object: SchemaObject) => string | undefined,
): ObjectIndex {
  const index = new Map<string, SchemaObject[]>();
  for (const object of objects) {
    const key = keyOf(object);
    if (key === undefined) continue;
    const same = index.get(key);
    if (same === undefined) index.set(key, [object]);
    else same.push(object);
  }
  return index;
}

/** The lookup key of a name that is unique among parts of the same kind and parent. */
export function keyOf(
  kind: SchemaObject["kind"],
  parent: string | undefined,
  value: string,
): string {
  return parent === undefined ? `${kind}  ${value}` : `${kind} ${parent} ${value}`;
}
