import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Connection, Database } from "./database.js";
import { distribute, distributeAdded, pendingDistribution } from "./distribution/distribute.js";
import { createPlanTables } from "./migrations/0001-plans.js";
import { createPlanViews } from "./migrations/0002-plan-views.js";
import { createUsageTables } from "./migrations/0003-usage.js";
import { createMemoryTables } from "./migrations/0004-memory.js";
import { createStateTables } from "./migrations/0005-state.js";
import { createAccessTables } from "./migrations/0006-access.js";
import { addPlanRevisions } from "./migrations/0007-plan-revisions.js";
import { createRetentionTables } from "./migrations/0008-retention.js";
import { createWebhookTables } from "./migrations/0009-webhooks.js";
import { createAuditTables } from "./migrations/0010-audit.js";
import { createApprovals } from "./migrations/0011-approvals.js";
import { createErasureTables } from "./migrations/0012-erasures.js";
import { showTakenResults } from "./migrations/0013-taken-results.js";
import { createBrowserSessions } from "./migrations/0014-browser-sessions.js";
import { createAuditExport } from "./migrations/0015-audit-export.js";
import { indexExpiry } from "./migrations/0016-approval-expiry.js";
import { addNodeVersions } from "./migrations/0017-node-versions.js";
import { createAuditCosignatures } from "./migrations/0018-audit-cosignatures.js";
import { addStandingApprovals } from "./migrations/0019-standing-approvals.js";
import { indexSubmitters } from "./migrations/0020-plan-submitters.js";

/** One migration of the schema: statements that run one by one in one transaction. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** In order; a released migration is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "v1-plans", statements: createPlanTables },
  { name: "v1-plan-views", statements: createPlanViews },
  { name: "v1-usage", statements: createUsageTables },
  { name: "v1-memory-vectors", statements: createMemoryTables },
  { name: "v1-state", statements: createStateTables },
  { name: "v1-access", statements: createAccessTables },
  { name: "v2-plan-revisions", statements: addPlanRevisions },
  { name: "v2-retention", statements: createRetentionTables },
  { name: "v2-webhooks", statements: createWebhookTables },
  { name: "v2-audit", statements: createAuditTables },
  { name: "v2-approvals", statements: createApprovals },
  { name: "v2-erasures", statements: createErasureTables },
  { name: "v2-taken-results", statements: showTakenResults },
  { name: "v2-browser-sessions", statements: createBrowserSessions },
  { name: "v2-audit-export", statements: createAuditExport },
  { name: "v2-approval-expiry", statements: indexExpiry },
  { name: "v2-node-versions", statements: addNodeVersions },
  { name: "v2-audit-cosignatures", statements: createAuditCosignatures },
  { name: "v2-standing-approvals", statements: addStandingApprovals },
  { name: "v2-plan-submitters", statements: indexSubmitters },
];

/** The advisory lock for migrations. Any number will do that nobody else uses. */
const LOCK = "7310881127546119";

/**
 * Migrates a store to this program's schema. Of several nodes that start together, one migrates and
 * the others wait. Each migration is a transaction and cannot be reverted.
 * @returns the applied migrations, in order.
 * @throws AppError `STORE_UNAVAILABLE` when the store was written by a newer program.
 */
export function migrate(db: Database): Promise<readonly Migration[]> {
  return locked(db, migrateOn);
}

/**
 * Migrates a store to this program's schema and distributes it over the servers of a Citus cluster.
 * Parts that are already distributed stay as they are.
 * @returns the applied migrations, and the statements that distributed the store, in order.
 * @throws AppError `INVALID_ARGUMENT`, with nothing changed, when the database has no Citus.
 */
export function migrateAndDistribute(
  db: Database,
): Promise<{ readonly migrations: readonly Migration[]; readonly statements: readonly string[] }> {
  return locked(db, async (connection) => {
    await pendingDistribution(connection);
    const migrations = await migrateOn(connection);
    return { migrations, statements: await distribute(connection) };
  });
}

async function migrateOn(connection: Connection): Promise<readonly Migration[]> {
  const pending = await pendingOn(connection);
  for (const migration of pending) await apply(connection, migration);
  return pending;
}

function locked<T>(db: Database, work: (connection: Connection) => Promise<T>): Promise<T> {
  return db.withConnection(async (connection) => {
    await connection.query("SELECT pg_advisory_lock($1)", [LOCK]);
    try {
      return await work(connection);
    } finally {
      await connection.query("SELECT pg_advisory_unlock($1)", [LOCK]);
    }
  });
}

/** The migrations that {@link migrate} would apply; changes nothing. */
export function pendingMigrations(db: Database): Promise<readonly Migration[]> {
  return db.withConnection(pendingOn);
}

async function pendingOn(connection: Connection): Promise<readonly Migration[]> {
  const done = await appliedOn(connection);
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const strange = done.find((name) => !known.has(name));
  if (strange !== undefined) {
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The store has the migration ${strange}, which this version of steward does not know: use the ` +
        "version that wrote the store or a newer one, or start with an empty database (a store from " +
        "before the first release, with migrations such as 0001-plans or v1-memory, cannot be taken over)",
    );
  }
  return MIGRATIONS.filter(({ name }) => !done.includes(name));
}

async function appliedOn(connection: Connection): Promise<readonly string[]> {
  const [table] = await connection.query<{ readonly name: string | null }>(
    "SELECT to_regclass('schema_migrations')::text AS name",
  );
  if (typeof table?.name !== "string") return [];
  const rows = await connection.query<{ readonly name: string }>(
    "SELECT name FROM schema_migrations",
  );
  return rows.map(({ name }) => name);
}

async function apply(connection: Connection, { name, statements }: Migration): Promise<void> {
  await connection.query("BEGIN");
  try {
    await connection.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         org_id uuid NOT NULL,
         name text NOT NULL,
         applied_at timestamptz NOT NULL,
         PRIMARY KEY (org_id, name)
       )`,
    );
    for (const statement of statements) await connection.query(statement);
    await distributeAdded(connection);
    await connection.query(
      `INSERT INTO schema_migrations (org_id, name, applied_at)
       VALUES ($1, $2, statement_timestamp())`,
      [NIL_ORG_ID, name],
    );
    await connection.query("COMMIT");
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  }
}
