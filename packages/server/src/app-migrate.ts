import { sqliteFile } from "./config/index.js";
import { systemClock } from "./kernel/clock.js";
import { silentTelemetry } from "./kernel/telemetry.js";
import { Database } from "./storage/postgres/database.js";
import { migrate, pendingMigrations } from "./storage/postgres/migrate.js";
import * as sqlite from "./storage/sqlite/store.js";

/**
 * Brings the store's schema to what this program needs, or only says what that would take.
 * @param url `sqlite:PATH` or `postgres://…`.
 * @returns the names of the migrations, in order; empty when the store is up to date.
 * @throws AppError `STORE_UNAVAILABLE` when it cannot be reached, is owned by a running server, or was
 * written by a newer program.
 */
export async function migrateStore(
  url: string,
  options: { readonly dryRun: boolean },
): Promise<readonly string[]> {
  const file = sqliteFile(url);
  if (file !== undefined) {
    const pending = sqlite.pendingMigrations(file);
    if (!options.dryRun) {
      await using _store = sqlite.openSqliteStore(file, systemClock, silentTelemetry);
    }
    return pending;
  }
  await using db = new Database(url);
  const migrations = options.dryRun ? await pendingMigrations(db) : await migrate(db);
  return migrations.map(({ name }) => name);
}
