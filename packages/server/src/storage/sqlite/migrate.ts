import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "../../kernel/errors.js";
import { createPlanTables } from "./migrations/0001-plans.js";
import { createUsageTables } from "./migrations/0002-usage.js";
import { createMemoryTables } from "./migrations/0003-memory.js";
import { createMemoryRetention } from "./migrations/0004-memory-retention.js";
import { createApiKeys } from "./migrations/0006-api-keys.js";
import { indexUsageByOrganization } from "./migrations/0007-usage-by-organization.js";
import { separateOperatorBudgets } from "./migrations/0008-operator-budgets.js";
import { createPolicies } from "./migrations/0009-policies.js";
import { createOutputMetadata } from "./migrations/0005-output-metadata.js";

/** In order, never changed once released: a store's `user_version` is how many it has seen. */
const MIGRATIONS: readonly string[] = [
  createPlanTables,
  createUsageTables,
  createMemoryTables,
  createMemoryRetention,
  createOutputMetadata,
  createApiKeys,
  indexUsageByOrganization,
  separateOperatorBudgets,
  createPolicies,
];

/** The version of a store that this program has brought up to date. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/**
 * Brings a store to this program's schema, each migration in a transaction of its own.
 * @throws AppError `STORE_UNAVAILABLE` when the store was written by a newer program.
 */
export function migrate(db: DatabaseSyncInstance): void {
  const version = schemaVersion(db);
  if (version > SCHEMA_VERSION) {
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The store has schema version ${String(version)}, this program knows up to ` +
        `${String(SCHEMA_VERSION)}: use the version of steward that wrote it, or a newer one`,
    );
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue;
    db.exec(`BEGIN IMMEDIATE; ${migration}; PRAGMA user_version = ${String(index + 1)}; COMMIT`);
  }
}

/** The versions that {@link migrate} would bring a store through, in order. */
export function pendingVersions(db: DatabaseSyncInstance): readonly number[] {
  return MIGRATIONS.map((_migration, index) => index + 1).slice(schemaVersion(db));
}

/** How many migrations a store has seen; 0 for what is no store yet. */
export function schemaVersion(db: DatabaseSyncInstance): number {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}
