import type { ExpiredPage, ExpiredRows, PageDeleted } from "../../../retention/ports.js";
import { deletedAtOnce } from "../../deleted-batch.js";
import { number, text } from "../column-values.js";
import type { CommitWriter } from "../commit-writer.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";
import {
  deletedKeys,
  deletedLogs,
  deletedPlans,
  deletedUsage,
  isNotHeld,
} from "./retention-writes.js";
import { TextIndexPurge } from "./text-index-purge.js";

/**
 * Deletes expired rows of an SQLite store, as units of the one writer: what must not be deleted is
 * decided in the unit itself.
 */
export class SqliteExpiredRows implements ExpiredRows {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #words: TextIndexPurge;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
    this.#words = new TextIndexPurge(writer, db);
  }

  async nextOrganization(after: string | undefined): Promise<string | undefined> {
    const next = TABLES.map((name) => `SELECT (SELECT min(org_id) FROM ${name} WHERE org_id > ?1)`);
    const sql = `SELECT min(org_id) AS org_id FROM (${next.join(" AS org_id UNION ALL ")})`;
    const found = (await this.#db.first(SYSTEM, sql, after ?? ""))?.["org_id"];
    return typeof found === "string" ? found : undefined;
  }

  async deletePlans(orgId: string, page: ExpiredPage): Promise<PageDeleted> {
    const { beforeMs, after = "", limit } = page;
    // The ids of plans are in the order of their creation.
    const examined = await this.#db.all<{
      readonly plan_id: string;
      readonly created_at_ms: number;
    }>(
      orgId,
      "SELECT plan_id, created_at_ms FROM plans WHERE org_id = ? AND plan_id > ? ORDER BY plan_id LIMIT ?",
      ...[orgId, after, BigInt(limit)],
    );
    const old = examined.filter((plan) => plan.created_at_ms < beforeMs);
    const planIds = old.map((plan) => plan.plan_id);
    const former = await this.#removals(orgId, planIds);
    if (planIds.length > 0) await this.#writer.commit(deletedPlans(orgId, planIds, beforeMs));
    const deleted = (await this.#removals(orgId, planIds)) - former;
    return { deleted, ...throughOf(planIds, old.length === limit) };
  }

  async deleteLogs(orgId: string, limit: number): Promise<boolean> {
    const removals = await this.#db.all<{ readonly plan_id: string; readonly bytes: number }>(
      orgId,
      `SELECT plan_id, coalesce(octet_length(steps), 0) AS bytes
       FROM plan_removals LEFT JOIN plan_definitions USING (org_id, plan_id)
       WHERE org_id = ? ORDER BY plan_id LIMIT ?`,
      ...[orgId, BigInt(limit)],
    );
    if (removals.length === 0) return false;
    const planIds = deletedAtOnce(removals).map((row) => row.plan_id);
    const changes = await this.#db.all<{ readonly change: number; readonly bytes: number }>(
      orgId,
      `SELECT change, octet_length(events) + coalesce(octet_length(output), 0) AS bytes
       FROM plan_changes WHERE org_id = ? AND plan_id IN (SELECT value FROM json_each(?))
       ORDER BY plan_id, sequence LIMIT ?`,
      ...[orgId, JSON.stringify(planIds), BigInt(limit)],
    );
    const now = deletedAtOnce(changes).map((row) => row.change);
    await this.#writer.commit(deletedLogs(orgId, planIds, now));
    return true;
  }

  async deleteIdempotencyKeys(orgId: string, page: ExpiredPage): Promise<PageDeleted> {
    const { beforeMs, after = "", limit } = page;
    const examined = await this.#db.all<{
      readonly plan_id: string;
      readonly created_at_ms: number;
      readonly is_deletable: number;
    }>(
      orgId,
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
    const rows = await this.#db.all(
      orgId,
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

  purgeWords(): Promise<boolean> {
    return this.#words.purge();
  }

  async #removals(orgId: string, planIds: readonly string[]): Promise<number> {
    const sql = `SELECT count(*) AS count FROM plan_removals
                 WHERE org_id = ? AND plan_id IN (SELECT value FROM json_each(?))`;
    return number((await this.#db.first(orgId, sql, orgId, JSON.stringify(planIds)))?.["count"]);
  }
}

/** Tables that together have a row of each organization with rows to delete. */
const TABLES = ["plans", "plan_removals", "usage_events", "memory_entries"];

function throughOf(planIds: readonly string[], isFull: boolean): { readonly through?: string } {
  const through = planIds.at(-1);
  return through === undefined || !isFull ? {} : { through };
}
