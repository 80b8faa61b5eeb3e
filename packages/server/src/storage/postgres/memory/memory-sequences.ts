import type { Connection } from "../database.js";

/**
 * Takes the next number of each organization's changes. The rows stay locked until the transaction
 * ends, so that the changes of one organization become visible in the order of their numbers,
 * including prepared transactions. Operations that may wait for other transactions must come before
 * this call: then a holder of the lock never waits, and holds it only while it writes the numbered
 * rows and commits.
 */
export async function takeSequences(
  connection: Connection,
  orgIds: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  const sequences = new Map<string, number>();
  for (const orgId of [...new Set(orgIds)].sort()) {
    const [row] = await connection.query<{ readonly last_sequence: number }>(
      `INSERT INTO memory_sequences (org_id, last_sequence, changed_at_ms)
       VALUES ($1, 1, steward_now_ms())
       ON CONFLICT (org_id) DO UPDATE SET last_sequence = memory_sequences.last_sequence + 1,
         changed_at_ms = excluded.changed_at_ms
       RETURNING last_sequence`,
      [orgId],
    );
    sequences.set(orgId, row?.last_sequence ?? 0);
  }
  return sequences;
}
