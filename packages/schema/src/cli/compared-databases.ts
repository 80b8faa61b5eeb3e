import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import { identify } from "../model/identify.js";
import { Schema, without } from "../model/schema.js";
import { withoutInvalidIndexes } from "../postgres/objects/invalid-indexes.js";
import { refuseUnmadeIn, withUnmanagedOf } from "../postgres/objects/unmanaged.js";
import { changeBetween, type SchemaChange } from "../migrations/schema-change.js";
import type { SchemaDatabase } from "../ports.js";

/**
 * Two databases of one engine, and the script that changes the first one's schema to the second
 * one's.
 */
export interface ComparedDatabases {
  readonly from: SchemaDatabase;
  readonly base: Schema;
  readonly target: Schema;
  readonly change: SchemaChange;
}

/**
 * Reads and compares the schemas of two databases of one engine.
 * @throws AppError `STORE_UNAVAILABLE` when a database cannot be read; `INVALID_ARGUMENT` when the second has an object
 * that no script can create.
 */
export async function compareDatabases(
  from: SchemaDatabase,
  to: SchemaDatabase,
): Promise<ComparedDatabases> {
  const [before, after] = await Promise.all([from.introspect(), to.introspect()]);
  const base = identify(before, undefined);
  const wanted = identify(withoutInvalidIndexes(ofAnotherDatabase(after)), base);
  refuseUnmadeIn(wanted, base);
  const target = withUnmanagedOf(base, wanted);
  return { from, base, target, change: await withPauses(changeBetween(base, target)) };
}

/** Two databases may use the same native ids, so the objects of the second are found by their names. */
function ofAnotherDatabase(schema: Schema): Schema {
  return new Schema(schema.objects.map((object) => without(object, "nativeId")));
}
