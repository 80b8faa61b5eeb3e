import { AppError } from "@steward/kernel/errors.js";
import { type Config, maskDatabaseUrl } from "../../config/index.js";
import { PostgresAuditArchive } from "../../storage/postgres/audit/audit-archive.js";
import { Database } from "../../storage/postgres/database.js";
import { pendingMigrations } from "../../storage/postgres/migrate.js";
import { checkClock } from "./clock.js";
import { databaseFailure } from "./database-failure.js";
import { fail, ok } from "./finding.js";
import type { Finding } from "./finding.js";
import { missingRights } from "./store-rights.js";

const NAME = "database";
const SETTING = "SERVICE_DATABASE_URL";

/** Checks a store on PostgreSQL: it answers, this role may use it, and the clocks agree. */
export async function checkPostgresStore(
  url: string,
  config: Config,
  checkLogKey: (note: string, config: Config) => readonly Finding[],
): Promise<readonly Finding[]> {
  const shown = maskDatabaseUrl(url);
  await using db = new Database(url);
  try {
    const clock = await checkClock(NAME, () =>
      db.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms"),
    );
    const pending = await pendingMigrations(db);
    const missing = await missingRights(db, pending.length > 0);
    if (missing !== undefined) {
      return [fail(NAME, `${shown}: ${missing.found}`, missing.fix), ...clock];
    }
    const isNew = pending.length > 0;
    const note = isNew ? " and will be migrated" : "";
    const audit = new PostgresAuditArchive(db);
    const key = isNew ? [] : checkLogKey((await audit.checkpoint()).note, config);
    return [ok(NAME, `${shown} answers${note}`), ...key, ...clock];
  } catch (error) {
    // A store of another version says itself what to do.
    if (error instanceof AppError && error.cause === undefined) {
      return [fail(NAME, `${shown}: ${error.message}`, `or correct ${SETTING}`)];
    }
    const { found, fix } = databaseFailure(error, url, SETTING);
    return [fail(NAME, found, fix)];
  }
}
