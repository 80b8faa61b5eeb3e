import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { datasetRoots, type Hash, type Quad } from "@steward/state";
import { LAYOUT, quadsOf } from "./quads.js";
import type { Schema, SchemaObject } from "./schema.js";
import { isSameObject } from "./schema-diff.js";

/**
 * The root hash of a schema's statements without the layout. Two databases have the same root
 * exactly when they differ in nothing but column order.
 */
export function rootOf(schema: Schema): Hash {
  const known = KNOWN.get(schema);
  if (known !== undefined) return known;
  const { before: root } = withoutPauses(datasetRoots(meaningOf(schema.objects)));
  KNOWN.set(schema, root);
  return root;
}

/**
 * The roots of two schemas. The second root is computed incrementally from the difference. Pauses
 * regularly.
 */
export function* rootsOf(
  base: Schema,
  target: Schema,
): Pausing<{ readonly baseRoot: Hash; readonly targetRoot: Hash }> {
  const [knownBase, knownTarget] = [KNOWN.get(base), KNOWN.get(target)];
  if (knownBase !== undefined && knownTarget !== undefined) {
    return { baseRoot: knownBase, targetRoot: knownTarget };
  }
  const removed = differing(base, target);
  yield;
  const added = differing(target, base);
  yield;
  const roots = yield* datasetRoots(meaningOf(base.objects), {
    removed: meaningOf(removed),
    added: meaningOf(added),
  });
  KNOWN.set(base, roots.before);
  KNOWN.set(target, roots.after);
  return { baseRoot: roots.before, targetRoot: roots.after };
}

/** Memo of roots: schemas are immutable, and computing a root takes long for a thousand tables. */
const KNOWN = new WeakMap<Schema, Hash>();

/** The objects that `schema` has and `other` lacks, or that differ. */
function differing(schema: Schema, other: Schema): readonly SchemaObject[] {
  return schema.objects.filter((object) => !isSameObject(object, other.find(object.id)));
}

/** The statements about objects, without their layout. */
function* meaningOf(objects: readonly SchemaObject[]): Generator<Quad> {
  for (const quad of quadsOf(objects)) if (!quad.graph.equals(LAYOUT)) yield quad;
}
