import type { SchemaObject } from "./schema.js";

/** Looks objects up by a key. */
export type ObjectIndex = ReadonlyMap<string, readonly SchemaObject[]>;

/**
 * An index of objects, so that nobody looks through all siblings of each: a schema may have ten thousand objects.
 * @param keyOf Undefined for objects that are left out.
 * @returns objects by their key, in their order.
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

/** A key of what may be said in one place only: among the parts of one object that are of one kind. */
export function keyOf(
  kind: SchemaObject["kind"],
  parent: string | undefined,
  value: string,
): string {
  return `${kind} ${parent ?? ""} ${value}`;
}
