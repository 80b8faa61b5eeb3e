import type { Schema } from "../../schema/index.js";
import { CATALOG_SETTINGS, introspectPostgres } from "../postgres-catalog.js";
import type { Session } from "./session.js";

/** Reads the schema as it is within the transaction that is open, which stays as it was. */
export async function readSchema(session: Session): Promise<Schema> {
  const settings = CATALOG_SETTINGS.map((setting) => `SET LOCAL ${setting}`);
  await session.command(["SAVEPOINT reading", ...settings].join("; "));
  const schema = await introspectPostgres((sql) => session.query(sql), "objects");
  await session.command("ROLLBACK TO SAVEPOINT reading; RELEASE SAVEPOINT reading");
  return schema;
}
