import { identify } from "./identify.js";
import type { SchemaDatabase, Script } from "./ports.js";
import type { Schema } from "./schema.js";
import { scriptFor } from "./script.js";
import { scriptOfUnits, unitsOf } from "./script-units.js";
import { withoutUnmanaged, withUnmanagedOf } from "./unmanaged.js";

/** A script between two schemas. */
export interface PlannedScript {
  readonly from: Schema;
  readonly to: Schema;
  readonly script: Script;
}

/**
 * The schema that a database has when some units of a script have taken effect, found out in an empty
 * database.
 * @param unitsDone from 0, where the schema is the one the script begins with.
 */
export async function checkpoint(
  database: SchemaDatabase,
  { from, to, script }: PlannedScript,
  unitsDone: number,
): Promise<Schema> {
  const units = unitsOf(script);
  if (unitsDone === 0) return from;
  await using scratch = await database.scratch();
  await scratch.run(scriptFor(withoutUnmanaged(from), await scratch.introspect()));
  await scratch.run(scriptOfUnits(units.slice(0, unitsDone)));
  // Everything is renamed in the first atomic phase; objects have their new names from then on.
  const isRenamed = unitsDone > unitsBeforeMain(script);
  const draft = await scratch.introspect();
  return withUnmanagedOf(from, identify(draft, isRenamed ? to : from));
}

function unitsBeforeMain(script: Script): number {
  const main = script.findIndex(({ isAtomic }) => isAtomic);
  return main === -1 ? 0 : unitsOf(script.slice(0, main)).length;
}
