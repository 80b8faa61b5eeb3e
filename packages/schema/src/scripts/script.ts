import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { Script } from "../ports.js";
import { identify } from "../model/identify.js";
import { phaseOf } from "../model/row-check.js";
import { isPostgres, isSqlite, Schema } from "../model/schema.js";
import { assert } from "@steward/kernel/assert.js";
import { planPostgres } from "../postgres/plan-postgres.js";
import { planSqlite } from "../sqlite/plan-sqlite.js";

/** The script between two schemas of the same engine; empty when they are equal. */
export function scriptBetween(base: Schema, target: Schema): Script {
  return withoutPauses(planning(base, target));
}

/** Like {@link scriptBetween}, but pauses regularly to yield the event loop. */
export function* planning(base: Schema, target: Schema): Pausing<Script> {
  if (isPostgres(base) && isPostgres(target)) return yield* planPostgres(base, target);
  assert(isSqlite(base) && isSqlite(target), "both schemas are of one engine");
  const steps = planSqlite(base, target);
  return steps.length === 0 ? [] : [phaseOf(true, steps)];
}

/**
 * The script that creates a schema in an empty database.
 * @param empty the schema of such a database; by default the one that PostgreSQL ships.
 */
export function scriptFor(schema: Schema, empty: Schema = shipped(schema)): Script {
  return scriptBetween(identify(empty, schema), schema);
}

/** The initial schema of every PostgreSQL database since version 15. */
function shipped({ database, dialect }: Schema): Schema {
  if (dialect === "sqlite") return new Schema([database]);
  const values = {
    comment: "standard public schema",
    grants: [{ grantee: "PUBLIC", privilege: "USAGE" }],
  };
  const parent = database.id;
  return new Schema([database, { id: "public", kind: "Schema", name: "public", parent, values }]);
}
