import { ROWS_DELETED_MAX } from "../../../retention/limits.js";
import type { ExpiredPage, ExpiredRows, PageDeleted } from "../../../retention/ports.js";
import { deletedAtOnce } from "../../deleted-batch.js";
import { number, text } from "../column-values.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StatementCache } from "../connection.js";
import {
  deletedChanges,
  deletedDefinitions,
  deletedKeys,
  deletedPlans,
  deletedUsage,
  isNotHeld,
} from "./retention-writes.js";

/**
 * Deletes expired rows of an SQLite store, as units of the one writer: what must not be deleted is
 * decided in the unit itself.
 */
export class SqliteExpiredRows implements ExpiredRows {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;

  constructor(writer: CommitWriter, db: StatementCache) {
    this.#writer = writer;
    this.#db = db;
  }

  nextOrganization(after: string | undefined): Promise<string | undefined> {
    const next = TABLES.map((name) => `SELECT (SELECT min(org_id) FROM ${name} WHERE org_id > ?1)`);
    const sql = `SELECT min(org_id) AS org_id FROM (${next.join(" AS org_id UNION ALL ")})`;
    const found = this.#db.get(sql, after ?? "")?.["org_id"];
    return Promise.resolve(typeof found === "string" ? found : undefined);
  }

  async deletePlans(orgId: string, page: ExpiredPage): Promise<PageDeleted> {
    const { beforeMs, after = "", limit } = page;
    // The ids of plans are in the order of their creation.
    const examined = this.#db.all<{ readonly plan_id: string; readonly created_at_ms: number }>(
      "SELECT plan_id, created_at_ms FROM plans WHERE org_id = ? AND plan_id > ? ORDER BY plan_id LIMIT ?",
      ...[orgId, after, BigInt(limit)],
    );
    const old = examined.filter((plan) => plan.created_at_ms < beforeMs);
    const planIds = old.map((plan) => plan.plan_id);
    const former = this.#removals(orgId, planIds);
    if (planIds.length > 0) await this.#writer.commit(deletedPlans(orgId, planIds, beforeMs));
    const deleted = this.#removals(orgId, planIds) - former;
    return { deleted, ...throughOf(planIds, old.length === limit) };
  }

  async deleteLogs(orgId: string): Promise<boolean> {
    const definitions = this.#db.all<{ readonly plan_id: string; readonly bytes: number }>(
      `SELECT plan_id, octet_length(steps) AS bytes
       FROM plan_removals JOIN plan_definitions USING (org_id, plan_id) WHERE org_id = ? LIMIT ?`,
      ...[orgId, BigInt(ROWS_DELETED_MAX)],
    );
    if (definitions.length > 0) {
      const planIds = deletedAtOnce(definitions).map((row) => row.plan_id);
      await this.#writer.commit([deletedDefinitions(orgId, planIds)]);
      return true;
    }
    const changes = this.#db.all<{ readonly change: number; readonly bytes: number }>(
      `SELECT c.change, octet_length(c.events) + coalesce(octet_length(c.output), 0) AS bytes
       FROM plan_removals AS r JOIN plan_changes AS c USING (org_id, plan_id)
       WHERE r.org_id = ? LIMIT ?`,
      ...[orgId, BigInt(ROWS_DELETED_MAX)],
    );
    const now = deletedAtOnce(changes).map((row) => row.change);
    const isLeft = this.#db.get("SELECT 1 FROM plan_removals WHERE org_id = ? LIMIT 1", orgId);
    if (isLeft === undefined) return false;
    await this.#writer.commit(deletedChanges(orgId, now));
    return changes.length > 0;
  }

  async deleteIdempotencyKeys(orgId: string, page: ExpiredPage): Promise<PageDeleted> {
    const { beforeMs, after = "", limit } = page;
    const examined = this.#db.all<{
      readonly plan_id: string;
      readonly created_at_ms: number;
      readonly is_deletable: number;
    }>(
      `SELECT k.plan_id, k.created_at_ms,
         p.finished_at_ms IS NOT NULL AND ${isNotHeld("p")} AS is_deletable
       FROM idempotency_keys AS k JOIN plans AS p USING (org_id, plan_id)
       WHERE k.org_id = ? AND k.plan_id > ? ORDER BY k.plan_id LIMIT ?`,
      ...[orgId, after, BigInt(limit)],
    );
    const old = examined.filter((key) => key.created_at_ms < beforeMs);
    const now = old.filter((key) => key.is_deletable === 1).map((key) => key.plan_id);
    if (now.length > 0) await this.#writer.commit([deletedKeys(orgId, now)]);
    const planIds = old.map((key) => key.plan_id);
    return { deleted: now.length, ...throughOf(planIds, old.length === limit) };
  }

  async deleteUsageDetail(orgId: string, beforeMs: number, limit: number): Promise<number> {
    const rows = this.#db.all(
      `SELECT occurred_at_ms, id FROM usage_events AS e
       WHERE org_id = ? AND occurred_at_ms < ? AND ${isNotHeld("e")}
       ORDER BY occurred_at_ms, id LIMIT ?`,
      ...[orgId, beforeMs, BigInt(limit)],
    );
    const last = rows.at(-1);
    if (last === undefined) return 0;
    const through = { occurredAtMs: number(last["occurred_at_ms"]), id: text(last["id"]) };
    await this.#writer.commit(deletedUsage(orgId, { through, beforeMs }));
    return rows.length;
  }

  #removals(orgId: string, planIds: readonly string[]): number {
    const sql = `SELECT count(*) AS count FROM plan_removals
                 WHERE org_id = ? AND plan_id IN (SELECT value FROM json_each(?))`;
    return number(this.#db.get(sql, orgId, JSON.stringify(planIds))?.["count"]);
  }
}

/** Tables that together have a row of each organization with rows to delete. */
const TABLES = ["plans", "plan_removals", "usage_events", "memory_entries"];

function throughOf(planIds: readonly string[], isFull: boolean): { readonly through?: string } {
  const through = planIds.at(-1);
  return through === undefined || !isFull ? {} : { through };
}
