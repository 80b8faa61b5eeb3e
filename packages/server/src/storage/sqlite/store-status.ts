import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { QUEUE_COUNT_MAX } from "../../system/limits.js";
import type { QueueStatus, StoreStatus, StoreStatusReader } from "../../system/ports.js";
import { version } from "../../version.js";
import { number, text } from "./column-values.js";
import { read, type StatementCache } from "./connection.js";
import { SCHEMA_VERSION } from "./migrate.js";
import { SOLE_NODE_ID } from "./sole-node.js";

const UNREAD_CALLS = `SELECT 1 FROM plan_changes
  WHERE call IS NOT NULL
    AND change > coalesce((SELECT sequence FROM tool_call_cursors WHERE consumer = ?), 0)`;

/** The state of an SQLite store, which one process has for itself. */
export class SqliteStoreStatus implements StoreStatusReader {
  readonly #db: StatementCache;
  readonly #clock: Clock;

  constructor(db: StatementCache, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  read(): Promise<StoreStatus> {
    return read(() => {
      const nowMs = this.#clock.nowMs();
      const queues = this.#queues(nowMs);
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
        audit: { records: this.#auditRecords(), positions: this.#positions() },
      };
    });
  }

  #queues(nowMs: number): QueueStatus {
    return {
      plansUnfinished: this.#count("SELECT 1 FROM plans WHERE finished_at_ms IS NULL"),
      stepsRunning: this.#count("SELECT 1 FROM step_leases WHERE lease_until_ms > ?", nowMs),
      usageCalls: this.#count(UNREAD_CALLS, "usage"),
      memoryCalls: this.#count(UNREAD_CALLS, "memory"),
      webhooksWaiting: this.#count("SELECT 1 FROM webhook_deliveries WHERE dead_at_ms IS NULL"),
      webhooksDead: this.#count("SELECT 1 FROM webhook_deliveries WHERE dead_at_ms IS NOT NULL"),
    };
  }

  #count(rows: string, ...params: readonly (string | number)[]): number {
    const sql = `SELECT count(*) AS count FROM (${rows} LIMIT ?)`;
    return number(this.#db.get(sql, ...params, BigInt(QUEUE_COUNT_MAX))?.["count"]);
  }

  #auditRecords(): number {
    const row = this.#db.get("SELECT size FROM audit_tree WHERE org_id = ?", NIL_ORG_ID);
    return number(row?.["size"]);
  }

  #positions(): ReadonlyMap<string, number> {
    const sql = "SELECT sink, next_index FROM audit_export_positions WHERE org_id = ?";
    const rows = this.#db.all(sql, NIL_ORG_ID);
    return new Map(rows.map((row) => [text(row["sink"]), number(row["next_index"])]));
  }
}
