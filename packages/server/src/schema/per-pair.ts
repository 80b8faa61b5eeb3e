import type { Schema } from "./schema.js";

/**
 * Works something out once for each pair of schemas, as long as somebody has both. Schemas never change, and with a thousand
 * tables each look through two of them takes longer than others should wait.
 */
export function perPair<T extends object>(
  work: (base: Schema, target: Schema) => T,
): (base: Schema, target: Schema) => T {
  const known = new WeakMap<Schema, WeakMap<Schema, T>>();
  return (base, target) => {
    const ofBase = known.get(base) ?? new WeakMap<Schema, T>();
    known.set(base, ofBase);
    const found = ofBase.get(target) ?? work(base, target);
    ofBase.set(target, found);
    return found;
  };
}
