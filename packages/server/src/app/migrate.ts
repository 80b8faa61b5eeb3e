import { sqliteFile } from "../config/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { Database } from "../storage/postgres/database.js";
import { pendingDistribution } from "../storage/postgres/distribution/distribute.js";
import { migrate, migrateAndDistribute, pendingMigrations } from "../storage/postgres/migrate.js";
import * as sqlite from "../storage/sqlite/store.js";

/** Time limit of a statement that distributes a table and moves its rows, in ms. */
const DISTRIBUTE_MS_MAX = 60 * 60 * 1000;

/**
 * Migrates the store's schema, or only lists the pending migrations.
 * @param url `sqlite:PATH` or `postgres://…`.
 * @returns the names of the migrations, in order; empty when the store is up to date.
 * @throws AppError `STORE_UNAVAILABLE` when it cannot be reached, is owned by a running server, or
 * was written by a newer program.
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

/**
 * Migrates the store's schema and distributes its tables over the servers of a Citus cluster, or
 * only lists the pending work.
 * @returns names of migrations and statements, in order; empty when there is nothing to do.
 * @throws AppError `INVALID_ARGUMENT`, with nothing changed, when the store is not on such a
 * cluster.
 */
export async function distributeStore(
  url: string,
  options: { readonly dryRun: boolean },
): Promise<{ readonly migrations: readonly string[]; readonly statements: readonly string[] }> {
  if (sqliteFile(url) !== undefined) {
    throw new AppError(
      "INVALID_ARGUMENT",
      "A store on SQLite is one file, which cannot be distributed; nothing was changed: copy it to the " +
        "coordinator of a Citus cluster first, with steward copy",
    );
  }
  await using db = new Database(url, { statementMsMax: DISTRIBUTE_MS_MAX });
  const { migrations, statements } = options.dryRun
    ? {
        statements: await db.withConnection(pendingDistribution),
        migrations: await pendingMigrations(db),
      }
    : await migrateAndDistribute(db);
  return { migrations: migrations.map(({ name }) => name), statements };
}
