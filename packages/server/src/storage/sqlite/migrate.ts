import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { createPlanTables } from "./migrations/0001-plans.js";
import { createPlanViews } from "./migrations/0002-plan-views.js";
import { createUsageTables } from "./migrations/0003-usage.js";
import { createMemoryTables } from "./migrations/0004-memory.js";
import { createAccessTables } from "./migrations/0005-access.js";
import { addPlanRevisions } from "./migrations/0006-plan-revisions.js";
import { createRetentionTables } from "./migrations/0007-retention.js";
import { createWebhookTables } from "./migrations/0008-webhooks.js";
import { createAuditTables } from "./migrations/0009-audit.js";
import { createApprovals } from "./migrations/0010-approvals.js";
import { createErasureTables } from "./migrations/0011-erasures.js";
import { showTakenResults } from "./migrations/0012-taken-results.js";
import { createBrowserSessions } from "./migrations/0013-browser-sessions.js";
import { createAuditExport } from "./migrations/0014-audit-export.js";
import { indexExpiry } from "./migrations/0015-approval-expiry.js";
import { deleteWordsLater } from "./migrations/0016-text-index.js";
import { createAuditCosignatures } from "./migrations/0017-audit-cosignatures.js";
import { addStandingApprovals } from "./migrations/0018-standing-approvals.js";
import { indexSubmitters } from "./migrations/0019-plan-submitters.js";
import { createSetAsideCalls } from "./migrations/0020-set-aside-calls.js";

/**
 * The version of the first migration, which creates a new store. Stores from before the first
 * release have lower versions.
 */
const FIRST_VERSION = 12;

/**
 * In order; a released migration is never changed. A store's `user_version` is that of its last
 * migration.
 */
const MIGRATIONS: readonly string[] = [
  [
    createPlanTables,
    createPlanViews,
    createUsageTables,
    createMemoryTables,
    createAccessTables,
  ].join("\n"),
  addPlanRevisions,
  createRetentionTables,
  createWebhookTables,
  createAuditTables,
  createApprovals,
  createErasureTables,
  showTakenResults,
  createBrowserSessions,
  createAuditExport,
  indexExpiry,
  deleteWordsLater,
  createAuditCosignatures,
  addStandingApprovals,
  indexSubmitters,
  createSetAsideCalls,
];

/** The schema version of an up-to-date store. */
export const SCHEMA_VERSION: number = FIRST_VERSION + MIGRATIONS.length - 1;

/**
 * Migrates a store to this program's schema, each migration in its own transaction.
 * @throws AppError `STORE_UNAVAILABLE` when the store was written by a newer program, or by one
 * from before the first release.
 */
export function migrate(db: DatabaseSyncInstance): void {
  const version = schemaVersion(db);
  refuseFromBeforeRelease(version);
  if (version > SCHEMA_VERSION) {
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The store has schema version ${String(version)}, this program knows up to ` +
        `${String(SCHEMA_VERSION)}: use the version of steward that wrote it, or a newer one`,
    );
  }
  for (const next of pendingVersions(db)) {
    const migration = MIGRATIONS[next - FIRST_VERSION];
    db.exec(`BEGIN IMMEDIATE; ${migration ?? ""}; PRAGMA user_version = ${String(next)}; COMMIT`);
  }
}

/** The versions that {@link migrate} would apply, in order. */
export function pendingVersions(db: DatabaseSyncInstance): readonly number[] {
  const version = schemaVersion(db);
  return MIGRATIONS.map((_migration, index) => FIRST_VERSION + index).filter(
    (next) => next > version,
  );
}

/**
 * Refuses a store that this program cannot read.
 * @throws AppError `STORE_UNAVAILABLE` when a store of this version was made before the first
 * release.
 */
export function refuseFromBeforeRelease(version: number): void {
  if (version === 0 || version >= FIRST_VERSION) return;
  throw new AppError("STORE_UNAVAILABLE", FROM_BEFORE_RELEASE);
}

/** The message for a store from before the first release. */
const FROM_BEFORE_RELEASE =
  "The store was made by a version of steward from before the first release, and cannot be taken over: " +
  "move its file away, or name another data directory, and start again";

/** The version of a store; 0 for an empty file. */
export function schemaVersion(db: DatabaseSyncInstance): number {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}
