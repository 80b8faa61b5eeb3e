import type { Script } from "./ports.js";
import { Schema } from "./schema.js";
import { planSqlite } from "./sqlite/plan-sqlite.js";

/** The script that leads from one schema to another of the same engine; empty when there is nothing to do. */
export function scriptBetween(base: Schema, target: Schema): Script {
  const statements = planSqlite(base, target);
  return statements.length === 0 ? [] : [{ isAtomic: true, statements }];
}

/** The script that makes a schema in an empty database. */
export function scriptFor(schema: Schema): Script {
  return scriptBetween(new Schema([schema.database]), schema);
}
