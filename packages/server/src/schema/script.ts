import type { Script } from "./ports.js";
import { Schema } from "./schema.js";
import { planPostgres } from "./postgres/plan-postgres.js";
import { planSqlite } from "./sqlite/plan-sqlite.js";

/** The script that leads from one schema to another of the same engine; empty when there is nothing to do. */
export function scriptBetween(base: Schema, target: Schema): Script {
  if (target.dialect === "postgres") return planPostgres(base, target);
  const statements = planSqlite(base, target);
  return statements.length === 0 ? [] : [{ isAtomic: true, statements }];
}

/** The script that makes a schema in an empty database. */
export function scriptFor(schema: Schema): Script {
  // Every PostgreSQL database begins with this one.
  const given = schema.all("Schema").filter(({ name }) => name === "public");
  return scriptBetween(new Schema([schema.database, ...given]), schema);
}
