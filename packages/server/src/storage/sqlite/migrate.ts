import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { firstMigration } from "./schema/first-migration.js";

/**
 * The version of the first migration, which makes a new store. Stores of lower versions are refused:
 * nobody has them but those who ran Steward before its first release.
 */
export const FIRST_VERSION = 33;

/**
 * In order; a released migration is never changed. A store's `user_version` is that of its last
 * migration.
 */
const MIGRATIONS: readonly string[] = [firstMigration];

/** The schema version of an up-to-date store. */
export const SCHEMA_VERSION: number = FIRST_VERSION + MIGRATIONS.length - 1;

/**
 * Migrates a store to this program's schema, each migration in its own transaction.
 * @throws AppError `STORE_UNAVAILABLE` when the store was written by a newer program, or by one whose
 * stores this one does not take over.
 */
export function migrate(db: DatabaseSyncInstance): void {
  for (const next of pendingVersions(db)) {
    const migration = MIGRATIONS[next - FIRST_VERSION];
    db.exec(`BEGIN IMMEDIATE; ${migration ?? ""}; PRAGMA user_version = ${String(next)}; COMMIT`);
  }
}

/**
 * The versions that {@link migrate} would apply, in order.
 * @throws AppError as {@link migrate} does.
 */
export function pendingVersions(db: DatabaseSyncInstance): readonly number[] {
  const version = schemaVersion(db);
  refuseOthers(version);
  return MIGRATIONS.map((_migration, index) => FIRST_VERSION + index).filter(
    (next) => next > version,
  );
}

/**
 * Refuses a store that another version of the program wrote.
 * @throws AppError `STORE_UNAVAILABLE` when no migration leads from its version to this program's.
 */
export function refuseOthers(version: number): void {
  if (version > SCHEMA_VERSION) {
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The store has schema version ${String(version)}, this program knows up to ` +
        `${String(SCHEMA_VERSION)}: use the version of steward that wrote it, or a newer one`,
    );
  }
  if (version === 0 || version >= FIRST_VERSION) return;
  throw new AppError(
    "STORE_UNAVAILABLE",
    `The store has schema version ${String(version)} of an earlier version of steward, which this version does not ` +
      "take over: keep using the version that wrote the store, with its steward copy for a move to PostgreSQL, " +
      "or name another data directory to begin with an empty store",
  );
}

/** The version of a store; 0 for an empty file. */
export function schemaVersion(db: DatabaseSyncInstance): number {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}
