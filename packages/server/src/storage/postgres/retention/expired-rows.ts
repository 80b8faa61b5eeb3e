import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { ExpiredPage, ExpiredRows, PageDeleted } from "../../../retention/ports.js";
import { deletedAtOnce } from "../../deleted-batch.js";
import type { Connection, Database } from "../database.js";
import { settled } from "../settled.js";
import { lockLedger } from "../usage/usage-ledger.js";
import { whileDeleting } from "./retention-lock.js";

/** A plan or an idempotency key, with the time from which its period is counted. */
interface PlanTime {
  readonly plan_id: string;
  readonly created_at_ms: number;
}

/** Deletes expired rows of a store on PostgreSQL. */
export class PostgresExpiredRows implements ExpiredRows {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async nextOrganization(after: string | undefined): Promise<string | undefined> {
    const found: string[] = [];
    for (const sql of NEXT_ORGANIZATION) {
      const [row] = await this.#db.query<{ readonly org_id: string }>(sql, [after ?? null]);
      if (row !== undefined) found.push(row.org_id);
    }
    return found.sort()[0];
  }

  async deletePlans(orgId: string, page: ExpiredPage): Promise<PageDeleted> {
    const examined = await this.#db.query<PlanTime>(
      // The ids of plans are in the order of their creation.
      `SELECT plan_id, created_at_ms FROM plans WHERE org_id = $1 AND plan_id > $2
       ORDER BY plan_id LIMIT $3`,
      [orgId, page.after ?? NIL_ORG_ID, page.limit],
    );
    const old = examined.filter((plan) => plan.created_at_ms < page.beforeMs);
    const planIds = old.map((plan) => plan.plan_id);
    const deleted = await this.#deleting(orgId, (connection) =>
      deletePlans(connection, orgId, planIds, page.beforeMs),
    );
    return { deleted: deleted ?? 0, ...throughOf(planIds, page.limit) };
  }

  async deleteLogs(orgId: string, limit: number): Promise<boolean> {
    const isMore = await this.#deleting(orgId, (connection) =>
      deleteLogs(connection, orgId, limit),
    );
    return isMore ?? false;
  }

  async deleteIdempotencyKeys(orgId: string, page: ExpiredPage): Promise<PageDeleted> {
    const examined = await this.#db.query<PlanTime>(
      `SELECT plan_id, created_at_ms FROM idempotency_keys WHERE org_id = $1 AND plan_id > $2
       ORDER BY plan_id LIMIT $3`,
      [orgId, page.after ?? NIL_ORG_ID, page.limit],
    );
    const old = examined.filter((key) => key.created_at_ms < page.beforeMs);
    const planIds = old.map((key) => key.plan_id);
    const deleted = await this.#deleting(orgId, async (connection) => {
      const rows = await connection.query(
        `DELETE FROM idempotency_keys AS k WHERE k.org_id = $1 AND k.plan_id = ANY ($2::uuid[])
           AND EXISTS (SELECT 1 FROM plans AS p WHERE p.org_id = $1 AND p.plan_id = k.plan_id
             AND p.finished_at_ms IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM legal_holds AS h WHERE h.org_id = $1
               AND (h.session_id IS NULL OR h.session_id = p.session_id)))
         RETURNING plan_id`,
        [orgId, planIds],
      );
      return rows.length;
    });
    return { deleted: deleted ?? 0, ...throughOf(planIds, page.limit) };
  }

  async deleteUsageDetail(orgId: string, beforeMs: number, limit: number): Promise<number> {
    const deleted = await this.#deleting(orgId, (connection) =>
      deleteUsage(connection, orgId, beforeMs, limit),
    );
    return deleted ?? 0;
  }

  /** The index of words is one of the table's own rows, which loses them with the row. */
  purgeWords(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Repeats a deletion whose outcome is unknown; the repetition deletes the remaining rows. */
  #deleting<T>(
    orgId: string,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T | undefined> {
    return settled(() => whileDeleting(this.#db, orgId, work));
  }
}

/** For each table, the next organization with rows in it. */
const NEXT_ORGANIZATION = [
  "SELECT org_id FROM plans WHERE $1::uuid IS NULL OR org_id > $1 ORDER BY org_id LIMIT 1",
  "SELECT org_id FROM plan_removals WHERE $1::uuid IS NULL OR org_id > $1 ORDER BY org_id LIMIT 1",
  "SELECT org_id FROM usage_events WHERE $1::uuid IS NULL OR org_id > $1 ORDER BY org_id LIMIT 1",
  "SELECT org_id FROM memory_entries WHERE $1::uuid IS NULL OR org_id > $1 ORDER BY org_id LIMIT 1",
];

function throughOf(planIds: readonly string[], limit: number): { readonly through?: string } {
  const through = planIds.at(-1);
  return through === undefined || planIds.length < limit ? {} : { through };
}

/**
 * Deletes the rows of plans that ended before a time and that no fork, usage or memory needs. Their
 * logs are deleted later, in batches.
 * @param connection of a transaction that holds the lock of {@link whileDeleting}.
 * @returns their number.
 */
export async function deletePlans(
  connection: Connection,
  orgId: string,
  planIds: readonly string[],
  beforeMs: number,
): Promise<number> {
  if (planIds.length === 0) return 0;
  // A plan that another transaction works on is left for the next sweep. Later statements see the
  // forks that were created before this lock, and none can be created after it.
  const locked = await connection.query<{ readonly plan_id: string }>(
    `SELECT plan_id FROM plans
     WHERE org_id = $1 AND plan_id = ANY ($2::uuid[]) AND finished_at_ms < $3 AND is_settled
     ORDER BY plan_id FOR UPDATE SKIP LOCKED`,
    [orgId, planIds, beforeMs],
  );
  const deleted = await connection.query<{ readonly plan_id: string }>(
    `DELETE FROM plans AS p WHERE p.org_id = $1 AND p.plan_id = ANY ($2::uuid[])
       AND NOT EXISTS (SELECT 1 FROM plan_forks AS f WHERE f.org_id = $1 AND f.plan_id = p.plan_id)
       AND NOT EXISTS (SELECT 1 FROM legal_holds AS h WHERE h.org_id = $1
         AND (h.session_id IS NULL OR h.session_id = p.session_id))
     RETURNING p.plan_id`,
    [orgId, locked.map((row) => row.plan_id)],
  );
  const gone = deleted.map((row) => row.plan_id);
  await connection.query(
    `INSERT INTO plan_removals (org_id, plan_id)
     SELECT $1, plan FROM unnest($2::uuid[]) AS r (plan) ON CONFLICT DO NOTHING`,
    [orgId, gone],
  );
  for (const sql of RELEASED) await connection.query(sql, [orgId, gone]);
  return gone.length;
}

/** Rows that refer to a plan and are deleted with it. */
const RELEASED = [
  "DELETE FROM idempotency_keys WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])",
  "DELETE FROM step_leases WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])",
  "DELETE FROM approvals WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])",
  "DELETE FROM plan_forks WHERE org_id = $1 AND fork_id = ANY ($2::uuid[])",
];

/** @returns whether more rows may be left. */
async function deleteLogs(connection: Connection, orgId: string, limit: number): Promise<boolean> {
  const removals = await connection.query<{ readonly plan_id: string }>(
    "SELECT plan_id FROM plan_removals WHERE org_id = $1 ORDER BY plan_id LIMIT $2",
    [orgId, limit],
  );
  if (removals.length === 0) return false;
  const planIds = removals.map((row) => row.plan_id);
  await connection.query(
    "DELETE FROM plan_definitions WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])",
    [orgId, planIds],
  );
  const changes = await connection.query<ChangeSize>(
    `SELECT plan_id, sequence, octet_length(events) + coalesce(octet_length(output), 0) AS bytes
     FROM plan_changes WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])
     ORDER BY plan_id, sequence LIMIT $3`,
    [orgId, planIds, limit],
  );
  const now = deletedAtOnce(changes);
  await connection.query(
    `DELETE FROM plan_changes AS c USING unnest($2::uuid[], $3::integer[]) AS d (plan, place)
     WHERE c.org_id = $1 AND c.plan_id = d.plan AND c.sequence = d.place`,
    [orgId, now.map((row) => row.plan_id), now.map((row) => row.sequence)],
  );
  await connection.query(
    `DELETE FROM plan_removals AS r WHERE r.org_id = $1 AND r.plan_id = ANY ($2::uuid[])
       AND NOT EXISTS (SELECT 1 FROM plan_changes AS c WHERE c.org_id = $1 AND c.plan_id = r.plan_id)`,
    [orgId, planIds],
  );
  return true;
}

interface ChangeSize {
  readonly plan_id: string;
  readonly sequence: number;
  readonly bytes: number;
}

async function deleteUsage(
  connection: Connection,
  orgId: string,
  beforeMs: number,
  limit: number,
): Promise<number> {
  // A check of the totals on another node reads either all of these rows or none.
  await lockLedger(connection, orgId, "UPDATE");
  const rows = await connection.query<{ readonly occurred_at_ms: number; readonly id: string }>(
    `SELECT e.occurred_at_ms, e.id FROM usage_events AS e
     WHERE e.org_id = $1 AND e.occurred_at_ms < $2
       AND NOT EXISTS (SELECT 1 FROM legal_holds AS h WHERE h.org_id = $1
         AND (h.session_id IS NULL OR h.session_id = e.session_id))
     ORDER BY e.occurred_at_ms, e.id LIMIT $3`,
    [orgId, beforeMs, limit],
  );
  if (rows.length === 0) return 0;
  const keys = [orgId, rows.map((row) => row.occurred_at_ms), rows.map((row) => row.id)];
  await connection.query(
    `INSERT INTO usage_detail_starts (org_id, from_ms) VALUES ($1, $2)
     ON CONFLICT (org_id) DO UPDATE
       SET from_ms = greatest(usage_detail_starts.from_ms, excluded.from_ms)`,
    [orgId, beforeMs],
  );
  await connection.query(
    `DELETE FROM usage_adjustments AS a USING unnest($2::bigint[], $3::uuid[]) AS d (at_ms, event)
     WHERE a.org_id = $1 AND a.occurred_at_ms = d.at_ms AND a.event_id = d.event`,
    keys,
  );
  await connection.query(
    `DELETE FROM usage_events AS e USING unnest($2::bigint[], $3::uuid[]) AS d (at_ms, event)
     WHERE e.org_id = $1 AND e.occurred_at_ms = d.at_ms AND e.id = d.event`,
    keys,
  );
  return rows.length;
}
