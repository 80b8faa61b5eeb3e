import type { Connection, Database } from "../database.js";

/**
 * Runs `work` in a transaction in which this node alone deletes rows of the organization.
 * @returns `undefined`, with nothing done, while another node deletes.
 */
export function whileDeleting<T>(
  db: Database,
  orgId: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  return db.transaction(async (connection) => {
    const lock = "SELECT 1 FROM retention_locks WHERE org_id = $1 FOR UPDATE SKIP LOCKED";
    if ((await connection.query(lock, [orgId])).length > 0) return work(connection);
    await insertLock(connection, orgId);
    return (await connection.query(lock, [orgId])).length > 0 ? work(connection) : undefined;
  });
}

/** Waits until no node deletes rows of the organization, and prevents it until the transaction ends. */
export async function preventDeletions(connection: Connection, orgId: string): Promise<void> {
  await insertLock(connection, orgId);
  await connection.query("SELECT 1 FROM retention_locks WHERE org_id = $1 FOR UPDATE", [orgId]);
}

async function insertLock(connection: Connection, orgId: string): Promise<void> {
  const insert = "INSERT INTO retention_locks (org_id) VALUES ($1) ON CONFLICT DO NOTHING";
  await connection.query(insert, [orgId]);
}
