import { OPERATION_PLAN_ID } from "../../../approvals/index.js";
import { writtenInApprovals } from "../../plan-changes/index.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { toolCallEntryId } from "../../../memory/index.js";
import type {
  Erasure,
  ErasureEstimate,
  ErasureScope,
  ErasureSubject,
  PlansInScope,
} from "../../../retention/index.js";
import type { ErasedRows } from "../../../retention/ports.js";
import { UNKNOWN } from "../../../usage/index.js";
import type { Connection, Database } from "../database.js";
import { settled } from "../settled.js";
import { lockLedger } from "../usage/usage-ledger.js";
import { TIME_ROLLUP_COLUMNS, timeRollupOf, type TimeRollupRow } from "../usage/usage-rows.js";
import { addToTotals } from "../usage/usage-writes.js";
import { deletePlans } from "./expired-rows.js";
import { whileDeleting } from "./retention-lock.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes the rows of a subject of a store on PostgreSQL. */
export class PostgresErasedRows implements ErasedRows {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async estimate({ orgId, scope, subject }: ErasureSubject): Promise<ErasureEstimate> {
    const count = async (sql: string): Promise<CountRow> => {
      const [row] = await this.#db.query<CountRow>(sql, [orgId, subject]);
      return row ?? { n: 0, bytes: 0 };
    };
    const plans = await count(
      `SELECT count(DISTINCT p.plan_id) AS n, coalesce(sum(octet_length(c.events)
           + coalesce(octet_length(c.output), 0) + coalesce(octet_length(c.call), 0)), 0)::bigint AS bytes
       FROM plans AS p LEFT JOIN plan_changes AS c ON c.org_id = $1 AND c.plan_id = p.plan_id
       WHERE p.org_id = $1 AND $2::text IS NOT NULL AND ${PLAN_IN_SCOPE[scope]}`,
    );
    const entries = await count(
      `SELECT count(*) AS n, coalesce(sum(octet_length(content)), 0)::bigint AS bytes
       FROM memory_entries AS e
       WHERE e.org_id = $1 AND $2::text IS NOT NULL AND ${ENTRY_IN_SCOPE[scope]}`,
    );
    const usage = await count(
      `SELECT count(*) AS n, 0 AS bytes FROM usage_events
       WHERE org_id = $1 AND $2::text IS NOT NULL AND ${scope === "organization" ? "true" : "false"}`,
    );
    return {
      counts: { plans: plans.n, entries: entries.n, usage: usage.n },
      bytes: { plans: plans.bytes, entries: entries.bytes },
    };
  }

  async plansInScope(
    { orgId, scope, subject }: ErasureSubject,
    page: { readonly untilMs: number; readonly after?: string; readonly limit: number },
  ): Promise<PlansInScope> {
    const rows = await this.#db.query<ScopeRow>(
      `WITH RECURSIVE own AS MATERIALIZED (
         SELECT p.plan_id FROM plans AS p
         WHERE p.org_id = $1 AND p.plan_id >= $3 AND p.created_at_ms <= $4
           AND $2::text IS NOT NULL AND ${PLAN_IN_SCOPE[scope]}
         ORDER BY p.plan_id LIMIT $5),
       scope AS (
         SELECT plan_id FROM own
         UNION SELECT f.fork_id FROM plan_forks AS f JOIN scope ON f.plan_id = scope.plan_id
           WHERE f.org_id = $1)
       SELECT p.plan_id, p.plan_id IN (SELECT plan_id FROM own) AS is_own,
         p.finished_at_ms IS NOT NULL AS is_over, p.is_settled
       FROM plans AS p WHERE p.org_id = $1 AND p.plan_id IN (SELECT plan_id FROM scope)
       ORDER BY p.plan_id`,
      [orgId, subject, page.after ?? NIL_ORG_ID, page.untilMs, page.limit],
    );
    const own = rows.filter((row) => row.is_own);
    const last = own.length < page.limit ? undefined : own.at(-1)?.plan_id;
    // The page begins with the last plan of the one before, which may have been deleted since.
    const through = last === page.after ? undefined : last;
    return {
      plans: rows.map((row) => ({
        planId: row.plan_id,
        isOver: row.is_over,
        isSettled: row.is_over && row.is_settled,
      })),
      ...(through === undefined ? {} : { through }),
    };
  }

  async entriesOfPlans(orgId: string, planIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#db.query<{
      readonly event_id: string;
      readonly finished_at_ms: number;
    }>(
      `SELECT call::json ->> 1 AS event_id, (call::json ->> 5)::bigint AS finished_at_ms
       FROM plan_changes WHERE org_id = $1 AND plan_id = ANY ($2::uuid[]) AND call IS NOT NULL`,
      [orgId, planIds],
    );
    return rows.map((row) =>
      toolCallEntryId({ eventId: row.event_id, finishedAtMs: row.finished_at_ms }),
    );
  }

  async erasePlans({ orgId, erasureId }: Erasure, planIds: readonly string[]): Promise<void> {
    await settled(() =>
      whileDeleting(this.#db, orgId, async (connection) => {
        const count = await deletePlans(connection, orgId, planIds, Number.MAX_SAFE_INTEGER);
        await connection.query(
          "UPDATE erasures SET plan_count = plan_count + $3 WHERE org_id = $1 AND erasure_id = $2",
          [orgId, erasureId, count],
        );
        // Usage stays, without the names that callers gave to their steps.
        await connection.query(
          `UPDATE usage_events AS u SET step_id = NULL FROM plan_changes AS c
           WHERE c.org_id = $1 AND c.plan_id = ANY ($2::uuid[]) AND c.call IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM plans AS p WHERE p.org_id = $1
               AND p.plan_id = c.plan_id)
             AND u.org_id = $1 AND u.occurred_at_ms = (c.call::json ->> 5)::bigint
             AND u.id = (c.call::json ->> 1)::uuid`,
          [orgId, planIds],
        );
        await deleteDeliveries(connection, orgId, planIds);
      }),
    );
  }

  async eraseNames(erasure: Erasure): Promise<void> {
    const { orgId, erasureId, scope, subject, requestedAtMs } = erasure;
    if (scope === "session") await this.#eraseSessionOfUsage(erasure);
    else await this.#db.query(BROWSER_SESSIONS, [orgId, subject, requestedAtMs]);
    await this.#db.query(
      `DELETE FROM approvals WHERE org_id = $1 AND plan_id = '${OPERATION_PLAN_ID}'
         AND requested_at_ms <= $2 AND (${OPERATION_IN_SCOPE[scope]})`,
      [orgId, requestedAtMs, ...writtenInApprovals(scope, subject)],
    );
    const names = scope === "session" ? [] : NAMES;
    for (const sql of names) await this.#db.query(sql, [orgId, scope === "user" ? subject : null]);
    if (scope === "user") await this.#db.query(KEYS, [orgId, subject, requestedAtMs]);
    await this.#db.query("UPDATE erasures SET subject = '' WHERE org_id = $1 AND erasure_id = $2", [
      orgId,
      erasureId,
    ]);
  }

  /** One transaction for each day, in which rows and totals change together. */
  async #eraseSessionOfUsage({ orgId, subject, requestedAtMs }: Erasure): Promise<void> {
    for (let isLeft = true; isLeft;) {
      isLeft = await this.#db.transaction(async (connection) => {
        await lockLedger(connection, orgId, "UPDATE");
        const [found] = await connection.query<{ readonly day_ms: number | null }>(
          `SELECT min(bucket_ms) AS day_ms FROM usage_totals WHERE org_id = $1 AND key = $2
             AND dimension = 'session' AND grain = 'day' AND bucket_ms <= $3 AND key <> '${UNKNOWN}'`,
          [orgId, subject, requestedAtMs],
        );
        const dayMs = found?.day_ms ?? undefined;
        if (dayMs === undefined) return false;
        await forgetSessionOfDay(connection, orgId, subject, dayMs);
        return true;
      });
    }
  }

  /** The server's own files are its operator's: VACUUM reuses the space. */
  overwrite(): Promise<void> {
    return Promise.resolve();
  }
}

/** Deletes the deliveries that tell of plans which are gone. */
async function deleteDeliveries(
  connection: Connection,
  orgId: string,
  planIds: readonly string[],
): Promise<void> {
  const left = await connection.query<{ readonly plan_id: string }>(
    "SELECT plan_id FROM plans WHERE org_id = $1 AND plan_id = ANY ($2::uuid[])",
    [orgId, planIds],
  );
  const kept = new Set(left.map((row) => row.plan_id));
  // The id of a message has the plan's after `msg_`.
  await connection.query(
    "DELETE FROM webhook_deliveries WHERE org_id = $1 AND substr(message_id, 5, 36) = ANY ($2::text[])",
    [orgId, planIds.filter((planId) => !kept.has(planId))],
  );
}

interface CountRow {
  readonly n: number;
  readonly bytes: number;
}

interface ScopeRow {
  readonly plan_id: string;
  readonly is_own: boolean;
  readonly is_over: boolean;
  readonly is_settled: boolean;
}

/** The condition that a plan is of a subject, whose id is the second parameter. */
const PLAN_IN_SCOPE: Readonly<Record<ErasureScope, string>> = {
  organization: "true",
  session: "p.session_id = $2",
  user: `EXISTS (SELECT 1 FROM plan_changes AS u WHERE u.org_id = $1 AND u.plan_id = p.plan_id
    AND u.call IS NOT NULL AND u.call::json -> 7 -> 'caller' ->> 4 = $2)`,
};

/** The same of an entry. The entries of a user are found through the plans. */
const ENTRY_IN_SCOPE: Readonly<Record<ErasureScope, string>> = {
  organization: "true",
  session: "e.session_id = $2",
  user: "false",
};

/** Ends the sessions of browsers, which are those of an organization's people. */
const BROWSER_SESSIONS = `DELETE FROM browser_sessions WHERE org_id = $1 AND created_at_ms <= $3
  AND ($2 = '' OR owner = 'person:' || $2
    OR owner LIKE 'agent:%' AND right(owner, length($2) + 1) = ':' || $2)`;

/** The condition that the approval of an operation is of a subject. Those of statements end with their plans. */
const OPERATION_IN_SCOPE: Readonly<Record<ErasureScope, string>> = {
  organization: "true",
  session: "session_id = $3",
  user: "strpos(approval, $3) > 0 OR strpos(subject, $4) > 0",
};

/** Makes the usage of a session on one day that of an unknown session. */
async function forgetSessionOfDay(
  connection: Connection,
  orgId: string,
  sessionId: string,
  dayMs: number,
): Promise<void> {
  const values = [orgId, sessionId, dayMs, dayMs + DAY_MS];
  await connection.query(
    `UPDATE usage_events SET session_id = NULL WHERE org_id = $1 AND session_id = $2
       AND occurred_at_ms >= $3 AND occurred_at_ms < $4`,
    values,
  );
  const removed = await connection.query<TimeRollupRow>(
    `DELETE FROM usage_totals WHERE org_id = $1 AND dimension = 'session' AND key = $2
       AND bucket_ms >= $3 AND bucket_ms < $4
     RETURNING ${TIME_ROLLUP_COLUMNS}`,
    values,
  );
  const byTime = removed.map((row) => ({ ...timeRollupOf(row), key: UNKNOWN }));
  await addToTotals(connection, { byTime, heatMap: [] });
}

/** Deletes the name of who changed something. */
const NAMES = [
  "UPDATE retention_versions SET changed_by = '' WHERE org_id = $1 AND changed_by = coalesce($2, changed_by)",
  "UPDATE policies SET changed_by = '' WHERE org_id = $1 AND changed_by = coalesce($2, changed_by)",
  "UPDATE legal_holds SET placed_by = '' WHERE org_id = $1 AND placed_by = coalesce($2, placed_by)",
  "UPDATE approvals SET revoked_by = '' WHERE org_id = $1 AND revoked_by = coalesce($2, revoked_by)",
  "UPDATE erasures SET requested_by = '' WHERE org_id = $1 AND requested_by = coalesce($2, requested_by)",
];

/** Revokes the API keys that name the user, and takes the name out of them. */
const KEYS = `UPDATE api_keys
  SET definition = (definition::jsonb - 'userId' || '{"name":""}'::jsonb)::text,
    revoked_at_ms = coalesce(revoked_at_ms, $3)
  WHERE org_id = $1 AND definition::jsonb ->> 'userId' = $2`;
