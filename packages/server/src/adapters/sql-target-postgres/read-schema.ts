import type { Schema } from "@steward/schema";
import { CATALOG_SETTINGS, introspectPostgres } from "@steward/schema/postgres-catalog";
import type { Session } from "./session.js";

/** Introspects the schema as of the open transaction, whose settings are restored. */
export async function readSchema(session: Session): Promise<Schema> {
  const settings = CATALOG_SETTINGS.map((setting) => `SET LOCAL ${setting}`);
  await session.command(["SAVEPOINT reading", ...settings].join("; "));
  const schema = await introspectPostgres((sql) => session.query(sql), "objects");
  await session.command("ROLLBACK TO SAVEPOINT reading; RELEASE SAVEPOINT reading");
  return schema;
}
