import type { SchemaTableDelta } from "../plans/index.js";
import { identify, type Schema, tableDeltas } from "../schema/live/index.js";

/**
 * What a statement did to the schema, of what was read before and after it: by the diff that migrations
 * are made of (Decision §15).
 */
export function deltasBetween(before: Schema, after: Schema): readonly SchemaTableDelta[] {
  const base = identify(before, undefined);
  return tableDeltas(base, identify(after, base));
}
