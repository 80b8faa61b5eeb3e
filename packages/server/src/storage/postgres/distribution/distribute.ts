import { AppError } from "@steward/kernel/errors.js";
import type { Connection } from "../database.js";
import { distributionStatements, type StoreFunction, type StoreOnCluster } from "./statements.js";

/**
 * The statements that {@link distribute} would run now.
 * @throws AppError `INVALID_ARGUMENT` when the database has no Citus, or its cluster no worker.
 */
export async function pendingDistribution(connection: Connection): Promise<readonly string[]> {
  if (!(await hasCitus(connection))) {
    throw new AppError(
      "INVALID_ARGUMENT",
      "The store's database has no extension citus, so its tables cannot be distributed; nothing was " +
        "changed: name the coordinator of a Citus cluster in SERVICE_DATABASE_URL, and run CREATE " +
        "EXTENSION citus in that database, or leave --distribute out",
    );
  }
  // An extension that was only created knows no other server: everything would be placed on the coordinator, in shards.
  if (!(await hasWorker(connection))) {
    throw new AppError(
      "INVALID_ARGUMENT",
      "The cluster has no worker that would get a part of the store; nothing was changed: in this database run " +
        "SELECT citus_set_coordinator_host('COORDINATOR') and, for each worker, SELECT citus_add_node('WORKER', 5432), " +
        "with host names by which the servers reach each other",
    );
  }
  return distributionStatements(await storeOn(connection));
}

/**
 * Distributes all parts of the store that are not yet distributed, in one transaction.
 * @param connection used by no other caller; its session must hold the lock on migrations.
 * @returns the executed statements.
 */
export async function distribute(connection: Connection): Promise<readonly string[]> {
  const statements = await pendingDistribution(connection);
  await connection.query("BEGIN");
  try {
    for (const statement of statements) await connection.query(statement);
    await connection.query("COMMIT");
    return statements;
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  }
}

/**
 * Distributes tables that a migration has added to a distributed store; leaves a store that is not
 * distributed unchanged.
 * @param connection in the migration's transaction.
 */
export async function distributeAdded(connection: Connection): Promise<void> {
  if (!(await hasCitus(connection))) return;
  const store = await storeOn(connection);
  if (!store.placedTables.has("plans")) return;
  for (const statement of distributionStatements(store)) await connection.query(statement);
}

async function hasCitus(connection: Connection): Promise<boolean> {
  const found = await connection.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  return found.length > 0;
}

async function hasWorker(connection: Connection): Promise<boolean> {
  const found = await connection.query(
    "SELECT 1 FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' AND isactive AND shouldhaveshards",
  );
  return found.length > 0;
}

async function storeOn(connection: Connection): Promise<StoreOnCluster> {
  const tables = await connection.query<{ readonly name: string; readonly is_placed: boolean }>(
    `SELECT c.relname AS name, p.logicalrelid IS NOT NULL AS is_placed
     FROM pg_class AS c
     LEFT JOIN pg_dist_partition AS p
       ON p.logicalrelid = c.oid AND (p.partmethod = 'h' OR p.repmodel = 't')
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`,
  );
  const functions = await connection.query<StoreFunction & { readonly isPlaced: boolean }>(
    `SELECT f.oid::regprocedure::text AS signature, o.objid IS NOT NULL AS "isPlaced",
       coalesce(f.proargnames[1] IN ('p_org', 'p_org_id'), false) AS "isOfOrganization"
     FROM pg_proc AS f
     LEFT JOIN pg_dist_object AS o ON o.classid = 'pg_proc'::regclass AND o.objid = f.oid
       AND (o.distribution_argument_index IS NOT NULL
         OR coalesce(f.proargnames[1] NOT IN ('p_org', 'p_org_id'), true))
     WHERE starts_with(f.proname, 'steward_') AND f.pronamespace = current_schema()::regnamespace`,
  );
  return {
    tables: new Set(tables.map(({ name }) => name)),
    functions,
    placedTables: new Set(tables.filter((table) => table.is_placed).map(({ name }) => name)),
    placedFunctions: new Set(
      functions.filter(({ isPlaced }) => isPlaced).map(({ signature }) => signature),
    ),
  };
}
