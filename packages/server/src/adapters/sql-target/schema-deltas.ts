import type { SchemaTableDelta } from "../../plans/index.js";
import { identify, type Schema, tableDeltas } from "@steward/schema/live";

/**
 * The changes that a statement made to the schema, from the schemas read before and after it. They
 * are computed by the same diff as migrations (Decision §15).
 */
export function deltasBetween(before: Schema, after: Schema): readonly SchemaTableDelta[] {
  const base = identify(before, undefined);
  return tableDeltas(base, identify(after, base));
}
