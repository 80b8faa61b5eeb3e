import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { QUEUE_COUNT_MAX } from "../../system/limits.js";
import type { QueueStatus, StoreStatus, StoreStatusReader } from "../../system/ports.js";
import { version } from "../../version.js";
import { number, text } from "./column-values.js";
import { SYSTEM, type StoreReads } from "./reads/store-reads.js";
import { SCHEMA_VERSION } from "./migrate.js";
import { SOLE_NODE_ID } from "./sole-node.js";

const UNREAD_CALLS = `SELECT 1 FROM plan_changes
  WHERE call IS NOT NULL
    AND change > coalesce((SELECT sequence FROM tool_call_cursors WHERE consumer = ?), 0)`;

/** The state of an SQLite store, which one process has for itself. */
export class SqliteStoreStatus implements StoreStatusReader {
  readonly #db: StoreReads;
  readonly #clock: Clock;

  constructor(db: StoreReads, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async read(): Promise<StoreStatus> {
    const nowMs = this.#clock.nowMs();
    const queues = await this.#queues(nowMs);
    return {
      database: `SQLite ${text(this.#db.get("SELECT sqlite_version() AS version")?.["version"])}`,
      schema: String(SCHEMA_VERSION),
      nowMs,
      nodes: [
        {
          ...{ nodeId: SOLE_NODE_ID, version: version(), isSelf: true },
          // It holds the lock of the file as long as it lives.
          ...{ seenAtMs: nowMs, leaseUntilMs: nowMs, stepsRunning: queues.stepsRunning },
        },
      ],
      queues,
      audit: { records: this.#auditRecords(), positions: await this.#positions() },
    };
  }

  async #queues(nowMs: number): Promise<QueueStatus> {
    return {
      plansUnfinished: await this.#count("SELECT 1 FROM plans WHERE finished_at_ms IS NULL"),
      stepsRunning: await this.#count("SELECT 1 FROM step_leases WHERE lease_until_ms > ?", nowMs),
      usageCalls: await this.#count(UNREAD_CALLS, "usage"),
      memoryCalls: await this.#count(UNREAD_CALLS, "memory"),
      webhooksWaiting: await this.#count(
        "SELECT 1 FROM webhook_deliveries WHERE dead_at_ms IS NULL",
      ),
      webhooksDead: await this.#count(
        "SELECT 1 FROM webhook_deliveries WHERE dead_at_ms IS NOT NULL",
      ),
    };
  }

  async #count(rows: string, ...params: readonly (string | number)[]): Promise<number> {
    const sql = `SELECT count(*) AS count FROM (${rows} LIMIT ?)`;
    const row = await this.#db.first(SYSTEM, sql, ...params, BigInt(QUEUE_COUNT_MAX));
    return number(row?.["count"]);
  }

  #auditRecords(): number {
    const row = this.#db.get("SELECT size FROM audit_tree WHERE org_id = ?", NIL_ORG_ID);
    return number(row?.["size"]);
  }

  async #positions(): Promise<ReadonlyMap<string, number>> {
    const sql = "SELECT sink, next_index FROM audit_export_positions WHERE org_id = ?";
    const rows = await this.#db.all(SYSTEM, sql, NIL_ORG_ID);
    return new Map(rows.map((row) => [text(row["sink"]), number(row["next_index"])]));
  }
}
