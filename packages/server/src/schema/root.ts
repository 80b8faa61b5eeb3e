import type { Clock } from "../kernel/clock.js";
import { type Hash, MemoryBlockStore, TripleStore } from "../state/index.js";
import { LAYOUT, quadsOf } from "./quads.js";
import type { Schema } from "./schema.js";

/**
 * What a schema is known by: the root of its statements without the layout. Two databases have the
 * same root exactly when nothing but the order of their columns tells them apart.
 */
export function rootOf(schema: Schema): Hash {
  const known = KNOWN.get(schema);
  if (known !== undefined) return known;
  const store = new TripleStore(new MemoryBlockStore(NO_CLOCK), NO_CLOCK);
  store.load([...quadsOf(schema)].filter(({ graph }) => !graph.equals(LAYOUT)));
  const root = store.now.roots.spog;
  KNOWN.set(schema, root);
  return root;
}

/** A schema never changes, and its root takes a second where there are a thousand tables. */
const KNOWN = new WeakMap<Schema, Hash>();

/** Roots have no time in them. */
const NO_CLOCK: Clock = { nowMs: () => 0 };
