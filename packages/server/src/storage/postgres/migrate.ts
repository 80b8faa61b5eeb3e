import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Connection, Database } from "./database.js";
import { distribute, distributeAdded, pendingDistribution } from "./distribution/distribute.js";
import { firstMigration } from "./schema/first-migration.js";

/** One migration of the schema: statements that run one by one in one transaction. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * The version of the first migration, which makes a new store. The name of each migration begins with
 * the version of the first one on which it builds. Stores with lower versions are refused: nobody has
 * them but those who ran Steward before its first release.
 */
const FIRST_VERSION = 7;

/** In order; a released migration is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: `v${FIRST_VERSION}-store`, statements: firstMigration },
];

/** The advisory lock for migrations. Any number will do that nobody else uses. */
const LOCK = "7310881127546119";

/**
 * Migrates a store to this program's schema. Of several nodes that start together, one migrates and
 * the others wait. Each migration is a transaction and cannot be reverted.
 * @returns the applied migrations, in order.
 * @throws AppError `STORE_UNAVAILABLE` when the store was written by a newer program, or by one whose
 * stores this one does not take over.
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
  if (strange !== undefined) throw ofAnotherVersion(strange);
  return MIGRATIONS.filter(({ name }) => !done.includes(name));
}

/** The refusal of a store with a migration that this program does not know. */
function ofAnotherVersion(migration: string): AppError {
  const version = Number(/^v(\d+)-/.exec(migration)?.[1] ?? 0);
  return new AppError(
    "STORE_UNAVAILABLE",
    version < FIRST_VERSION
      ? `The store has the migration ${migration} of an earlier version of steward, which this version does not take ` +
          "over: keep using the version that wrote the store, or name an empty database to begin with an empty store"
      : `The store has the migration ${migration}, which this version of steward does not know: use the version ` +
          "that wrote the store, or a newer one",
  );
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
