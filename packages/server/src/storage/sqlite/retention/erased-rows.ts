import { OPERATION_PLAN_ID } from "../../../approvals/index.js";
import { writtenInApprovals } from "../../plan-changes/index.js";
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
import { number, optionalNumber } from "../column-values.js";
import type { Write } from "../commit-protocol.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StoreReads } from "../reads/store-reads.js";
import { deletedPlans, READ_THROUGH } from "./retention-writes.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes the rows of a subject of an SQLite store. */
export class SqliteErasedRows implements ErasedRows {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  async estimate({ orgId, scope, subject }: ErasureSubject): Promise<ErasureEstimate> {
    const count = async (
      sql: string,
    ): Promise<{ readonly count: number; readonly bytes: number }> => {
      const row = await this.#db.first(orgId, sql, orgId, subject);
      return { count: number(row?.["n"]), bytes: number(row?.["bytes"]) };
    };
    const plans = await count(
      `SELECT count(DISTINCT p.plan_id) AS n, coalesce(sum(octet_length(c.events)
             + coalesce(octet_length(c.output), 0) + coalesce(octet_length(c.call), 0)), 0) AS bytes
         FROM plans AS p LEFT JOIN plan_changes AS c USING (org_id, plan_id)
         WHERE p.org_id = ?1 AND ${PLAN_IN_SCOPE[scope]} AND ?2 IS NOT NULL`,
    );
    const entries = await count(
      `SELECT count(*) AS n, coalesce(sum(octet_length(content)), 0) AS bytes
         FROM memory_entries AS e WHERE e.org_id = ?1 AND ${ENTRY_IN_SCOPE[scope]} AND ?2 IS NOT NULL`,
    );
    const usage = await count(
      `SELECT count(*) AS n, 0 AS bytes FROM usage_events
         WHERE org_id = ?1 AND ${scope === "organization" ? "TRUE" : "FALSE"} AND ?2 IS NOT NULL`,
    );
    return {
      counts: { plans: plans.count, entries: entries.count, usage: usage.count },
      bytes: { plans: plans.bytes, entries: entries.bytes },
    };
  }

  async plansInScope(
    { orgId, scope, subject }: ErasureSubject,
    page: { readonly untilMs: number; readonly after?: string; readonly limit: number },
  ): Promise<PlansInScope> {
    const rows = await this.#db.all<{
      readonly plan_id: string;
      readonly is_own: number;
      readonly is_over: number;
      readonly is_settled: number;
    }>(
      orgId,
      `WITH RECURSIVE own AS MATERIALIZED (
           SELECT p.plan_id FROM plans AS p
           WHERE p.org_id = ?1 AND p.plan_id > ?3 AND p.created_at_ms <= ?4
             AND ?2 IS NOT NULL AND ${PLAN_IN_SCOPE[scope]}
           ORDER BY p.plan_id LIMIT ?5),
         scope AS (
           SELECT plan_id FROM own
           UNION SELECT f.fork_id FROM plan_forks AS f JOIN scope ON f.plan_id = scope.plan_id
             WHERE f.org_id = ?1)
         SELECT p.plan_id, p.plan_id IN own AS is_own, p.finished_at_ms IS NOT NULL AS is_over,
           p.finished_at_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plan_changes AS c
             WHERE c.org_id = p.org_id AND c.plan_id = p.plan_id
               AND c.call IS NOT NULL AND c.change > ${READ_THROUGH}) AS is_settled
         FROM plans AS p WHERE p.org_id = ?1 AND p.plan_id IN scope ORDER BY p.plan_id`,
      ...[orgId, subject, page.after ?? "", page.untilMs, BigInt(page.limit)],
    );
    const own = rows.filter((row) => row.is_own === 1);
    const through = own.length < page.limit ? undefined : own.at(-1)?.plan_id;
    return {
      plans: rows.map((row) => ({
        planId: row.plan_id,
        isOver: row.is_over === 1,
        isSettled: row.is_settled === 1,
      })),
      ...(through === undefined ? {} : { through }),
    };
  }

  async entriesOfPlans(orgId: string, planIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#db.all<{ readonly event_id: string; readonly finished_at_ms: number }>(
      orgId,
      `SELECT call ->> 1 AS event_id, call ->> 5 AS finished_at_ms FROM plan_changes
           WHERE org_id = ? AND plan_id IN (SELECT value FROM json_each(?)) AND call IS NOT NULL`,
      ...[orgId, JSON.stringify(planIds)],
    );
    return rows.map((row) =>
      toolCallEntryId({ eventId: row.event_id, finishedAtMs: row.finished_at_ms }),
    );
  }

  erasePlans({ orgId, erasureId }: Erasure, planIds: readonly string[]): Promise<void> {
    const [remove, ...rest] = deletedPlans(orgId, planIds, Number.MAX_SAFE_INTEGER);
    if (remove === undefined) return Promise.resolve();
    return this.#writer.commit([
      remove,
      {
        // A plan is removed once, so these are the ones that the statement before has added.
        sql: `UPDATE erasures SET plan_count = plan_count + (
                SELECT count(*) FROM plan_removals AS r JOIN plans AS p USING (org_id, plan_id)
                WHERE r.org_id = ?1 AND r.plan_id IN (SELECT value FROM json_each(?2)))
              WHERE org_id = ?1 AND erasure_id = ?3`,
        params: [orgId, JSON.stringify(planIds), erasureId],
      },
      {
        // The id of a message has the plan's after `msg_`.
        sql: `DELETE FROM webhook_deliveries WHERE org_id = ?1
                AND substr(message_id, 5, 36) IN (SELECT value FROM json_each(?2))
                AND substr(message_id, 5, 36) IN (SELECT plan_id FROM plan_removals WHERE org_id = ?1)`,
        params: [orgId, JSON.stringify(planIds)],
      },
      {
        // Usage stays, without the names that callers gave to their steps.
        sql: `UPDATE usage_events SET step_id = NULL WHERE org_id = ?1
                AND (occurred_at_ms, id) IN (SELECT call ->> 5, call ->> 1 FROM plan_changes
                  WHERE org_id = ?1 AND plan_id IN (SELECT value FROM json_each(?2)) AND call IS NOT NULL
                    AND plan_id IN (SELECT plan_id FROM plan_removals WHERE org_id = ?1))`,
        params: [orgId, JSON.stringify(planIds)],
      },
      ...rest,
    ]);
  }

  async eraseNames(erasure: Erasure): Promise<void> {
    const { orgId, erasureId, scope, subject } = erasure;
    if (scope === "session") await this.#eraseSessionOfUsage(erasure);
    const names = scope === "session" ? [] : NAMES;
    const whose = scope === "user" ? subject : null;
    await this.#writer.commit([
      ...names.map(([table, column]) => ({
        sql: `UPDATE ${table} SET ${column} = '' WHERE org_id = ?1 AND ${column} = coalesce(?2, ${column})`,
        params: [orgId, whose],
      })),
      ...(scope === "user" ? [endedKeys(erasure)] : []),
      ...endedBrowserSessions(erasure),
      erasedOperationApprovals(erasure),
      {
        sql: "UPDATE erasures SET subject = '' WHERE org_id = ? AND erasure_id = ?",
        params: [orgId, erasureId],
      },
    ]);
  }

  overwrite(): Promise<void> {
    return this.#writer.truncateLog();
  }

  /** One transaction for each day, in which rows and totals change together. */
  async #eraseSessionOfUsage({ orgId, subject, requestedAtMs }: Erasure): Promise<void> {
    for (;;) {
      const found = await this.#db.first(
        orgId,
        `SELECT min(bucket_ms) AS day_ms FROM usage_totals WHERE org_id = ?1 AND key = ?2
           AND dimension = 'session' AND grain = 'day' AND bucket_ms <= ?3 AND key <> '${UNKNOWN}'`,
        ...[orgId, subject, requestedAtMs],
      );
      const dayMs = optionalNumber(found?.["day_ms"]);
      if (dayMs === undefined) return;
      await this.#writer.commit(usageOfUnknownSession(orgId, subject, dayMs));
    }
  }
}

/** Revokes the API keys that name the user, and takes the name out of them. */
function endedKeys({ orgId, subject, requestedAtMs }: Erasure): Write {
  return {
    sql: `UPDATE api_keys SET definition = json_set(json_remove(definition, '$.userId'), '$.name', ''),
            revoked_at_ms = coalesce(revoked_at_ms, ?3)
          WHERE org_id = ?1 AND definition ->> '$.userId' = ?2`,
    params: [orgId, subject, requestedAtMs],
  };
}

/** Ends the sessions of browsers, which are those of an organization's people. */
function endedBrowserSessions({ orgId, scope, subject, requestedAtMs }: Erasure): readonly Write[] {
  if (scope === "session") return [];
  return [
    {
      sql: `DELETE FROM browser_sessions WHERE org_id = ?1 AND created_at_ms <= ?3
              AND (?2 = '' OR owner = 'person:' || ?2
                OR owner LIKE 'agent:%' AND substr(owner, -length(?2) - 1) = ':' || ?2)`,
      params: [orgId, subject, requestedAtMs],
    },
  ];
}

/** Deletes the approvals of operations. Those of statements end with their plans. */
function erasedOperationApprovals({ orgId, scope, subject, requestedAtMs }: Erasure): Write {
  return {
    sql: `DELETE FROM approvals WHERE org_id = ?1 AND plan_id = '${OPERATION_PLAN_ID}'
            AND requested_at_ms <= ?2 AND (${OPERATION_IN_SCOPE[scope]})`,
    params: [orgId, requestedAtMs, ...writtenInApprovals(scope, subject)],
  };
}

/** Makes the usage of a session on one day that of an unknown session. */
function usageOfUnknownSession(orgId: string, sessionId: string, dayMs: number): readonly Write[] {
  const params = [orgId, sessionId, dayMs, dayMs + DAY_MS];
  const ofDay = `org_id = ?1 AND dimension = 'session' AND key = ?2
    AND bucket_ms >= ?3 AND bucket_ms < ?4`;
  return [
    {
      sql: `UPDATE usage_events SET session_id = NULL WHERE org_id = ?1 AND session_id = ?2
              AND occurred_at_ms >= ?3 AND occurred_at_ms < ?4`,
      params,
    },
    {
      sql: `INSERT INTO usage_totals (org_id, dimension, grain, bucket_ms, key, action_count,
              total_aau, total_nanodollars)
            SELECT org_id, dimension, grain, bucket_ms, '${UNKNOWN}', action_count, total_aau,
              total_nanodollars FROM usage_totals WHERE ${ofDay}
            ON CONFLICT (org_id, dimension, grain, bucket_ms, key) DO UPDATE SET
              action_count = action_count + excluded.action_count,
              total_aau = total_aau + excluded.total_aau,
              total_nanodollars = total_nanodollars + excluded.total_nanodollars`,
      params,
    },
    { sql: `DELETE FROM usage_totals WHERE ${ofDay}`, params },
  ];
}

/** The condition that a plan is of a subject, whose id is the second parameter. */
const PLAN_IN_SCOPE: Readonly<Record<ErasureScope, string>> = {
  organization: "TRUE",
  session: "p.session_id = ?2",
  user: `EXISTS (SELECT 1 FROM plan_changes AS u WHERE u.org_id = p.org_id AND u.plan_id = p.plan_id
    AND u.call IS NOT NULL AND u.call -> 7 -> 'caller' ->> 4 = ?2)`,
};

/** The condition that an entry is of a subject. The entries of a user are found through the plans. */
const ENTRY_IN_SCOPE: Readonly<Record<ErasureScope, string>> = {
  organization: "TRUE",
  session: "e.session_id = ?2",
  user: "FALSE",
};

/** The condition that the approval of an operation is of a subject. */
const OPERATION_IN_SCOPE: Readonly<Record<ErasureScope, string>> = {
  organization: "TRUE",
  session: "session_id = ?3",
  user: "instr(approval, ?3) > 0 OR instr(subject, ?4) > 0",
};

/** Columns that say who changed something. */
const NAMES = [
  ["retention_versions", "changed_by"],
  ["policies", "changed_by"],
  ["legal_holds", "placed_by"],
  ["approvals", "revoked_by"],
  ["erasures", "requested_by"],
] as const;
