import type { Schema } from "./schema.js";

/**
 * Memoizes a function of two schemas, weakly by both. Schemas are immutable, and comparing two
 * schemas of a thousand tables would block the event loop for too long.
 */
export function perPair<S extends Schema, T extends object>(
  work: (base: S, target: S) => T,
): (base: S, target: S) => T {
  const known = new WeakMap<Schema, WeakMap<Schema, T>>();
  return (base, target) => {
    const ofBase = known.get(base) ?? new WeakMap<Schema, T>();
    known.set(base, ofBase);
    const found = ofBase.get(target) ?? work(base, target);
    ofBase.set(target, found);
    return found;
  };
}
