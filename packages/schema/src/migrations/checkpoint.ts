import { identify } from "../model/identify.js";
import type { SchemaDatabase, Script } from "../ports.js";
import type { Schema } from "../model/schema.js";
import { scriptFor } from "../scripts/script.js";
import { scriptOfUnits, unitsOf } from "../scripts/script-units.js";
import { withoutUnmanaged, withUnmanagedOf } from "../postgres/objects/unmanaged.js";

/** A script, and the schemas that it leads from and to. */
export interface PlannedScript {
  readonly from: Schema;
  readonly to: Schema;
  readonly script: Script;
}

/**
 * The schema after the first units of a script, determined by running them in a scratch database.
 * @param unitsDone number of units; with 0 the result is the script's base schema.
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
  // The first atomic phase carries out all renames, so objects have their new names after it.
  const isRenamed = unitsDone > unitsBeforeMain(script);
  const draft = await scratch.introspect();
  return withUnmanagedOf(from, identify(draft, isRenamed ? to : from));
}

function unitsBeforeMain(script: Script): number {
  const main = script.findIndex(({ isAtomic }) => isAtomic);
  return main === -1 ? 0 : unitsOf(script.slice(0, main)).length;
}
