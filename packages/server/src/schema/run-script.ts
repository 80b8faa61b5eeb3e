import { assert } from "../kernel/assert.js";
import { refuseDrift } from "./drift.js";
import { identify } from "./identify.js";
import type { SchemaDatabase, Script } from "./ports.js";
import type { Schema } from "./schema.js";
import { scriptBetween } from "./script.js";

/** The schema, read while nobody migrates. */
export async function lockedSchema(database: SchemaDatabase): Promise<Schema> {
  let found: Schema | undefined;
  await database.apply([{ isAtomic: true, statements: [] }], {
    before: (draft) => (found = draft),
    after: () => undefined,
  });
  assert(found !== undefined, "a script is preceded by a look at the schema");
  return found;
}

async function run(
  database: SchemaDatabase,
  from: Schema,
  to: Schema,
  script: Script,
): Promise<Schema> {
  let reached = to;
  await database.apply(script, {
    before: (draft) => refuseDrift(database.name, from, draft),
    after: (draft) => {
      refuseDrift(database.name, to, draft);
      reached = identify(draft, to);
    },
  });
  return reached;
}

/**
 * Runs a script between two checks. What of several phases took effect before one failed is taken back by
 * the same means.
 * @returns the schema it ends at, as it was read.
 */
export async function runOrGoBack(
  database: SchemaDatabase,
  from: Schema,
  to: Schema,
  script: Script,
): Promise<Schema> {
  try {
    return await run(database, from, to, script);
  } catch (error) {
    if (script.length > 1) {
      const halfway = identify(await database.introspect(), from);
      const back = scriptBetween(halfway, from);
      if (back.length > 0) await run(database, halfway, from, back);
    }
    throw error;
  }
}
