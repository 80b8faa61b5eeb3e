import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { QUEUE_COUNT_MAX } from "../../system/limits.js";
import type {
  AuditLogStatus,
  NodeStatus,
  QueueStatus,
  StoreStatus,
  StoreStatusReader,
} from "../../system/ports.js";
import type { Database } from "./database.js";
import { NODE_LEASE_MS, type NodeLease } from "./node-lease.js";

interface NodeRow {
  readonly node_id: string;
  readonly version: string;
  readonly lease_until_ms: number;
}

/** The state of a store that several nodes share. */
export class PostgresStoreStatus implements StoreStatusReader {
  readonly #db: Database;
  readonly #node: Pick<NodeLease, "nodeId">;

  constructor(db: Database, node: Pick<NodeLease, "nodeId">) {
    this.#db = db;
    this.#node = node;
  }

  async read(): Promise<StoreStatus> {
    const [versions] = await this.#db.query<{
      readonly database: string;
      readonly schema: string;
      readonly now_ms: number;
    }>(
      `SELECT current_setting('server_version') AS database, steward_now_ms() AS now_ms,
         (SELECT name FROM schema_migrations WHERE org_id = $1
          ORDER BY applied_at DESC, name DESC LIMIT 1) AS schema`,
      [NIL_ORG_ID],
    );
    return {
      database: `PostgreSQL ${versions?.database ?? ""}`,
      schema: versions?.schema ?? "",
      nowMs: versions?.now_ms ?? 0,
      nodes: await this.#nodes(),
      queues: await this.#queues(),
      audit: await this.#audit(),
    };
  }

  async #nodes(): Promise<readonly NodeStatus[]> {
    const steps = await this.#db.query<{ readonly node_id: string; readonly steps: number }>(
      `SELECT node_id, count(*) AS steps FROM (
         SELECT node_id FROM step_leases WHERE lease_until_ms > steward_now_ms() LIMIT $1) AS running
       GROUP BY node_id`,
      [QUEUE_COUNT_MAX],
    );
    const running = new Map(steps.map((row) => [row.node_id, row.steps]));
    const rows = await this.#db.query<NodeRow>(
      `SELECT node_id, version, lease_until_ms FROM nodes WHERE org_id = $1 ORDER BY node_id`,
      [NIL_ORG_ID],
    );
    return rows.map((row) => ({
      nodeId: row.node_id,
      ...(row.version === "" ? {} : { version: row.version }),
      isSelf: row.node_id === this.#node.nodeId,
      // A heartbeat sets the end of the lease from the time that it arrives.
      seenAtMs: row.lease_until_ms - NODE_LEASE_MS,
      leaseUntilMs: row.lease_until_ms,
      stepsRunning: running.get(row.node_id) ?? 0,
    }));
  }

  async #queues(): Promise<QueueStatus> {
    return {
      plansUnfinished: await this.#count(
        `SELECT count(*) AS count FROM (
           SELECT 1 FROM plans WHERE finished_at_ms IS NULL LIMIT $1) AS counted`,
      ),
      stepsRunning: await this.#count(
        `SELECT count(*) AS count FROM (
           SELECT 1 FROM step_leases WHERE lease_until_ms > steward_now_ms() LIMIT $1) AS counted`,
      ),
      usageCalls: await this.#count(unreadCalls("usage")),
      memoryCalls: await this.#count(unreadCalls("memory")),
      webhooksWaiting: await this.#count(
        `SELECT count(*) AS count FROM (
           SELECT 1 FROM webhook_deliveries WHERE dead_at_ms IS NULL LIMIT $1) AS counted`,
      ),
      webhooksDead: await this.#count(
        `SELECT count(*) AS count FROM (
           SELECT 1 FROM webhook_deliveries WHERE dead_at_ms IS NOT NULL LIMIT $1) AS counted`,
      ),
    };
  }

  async #count(sql: string): Promise<number> {
    const [row] = await this.#db.query<{ readonly count: number }>(sql, [QUEUE_COUNT_MAX]);
    return row?.count ?? 0;
  }

  async #audit(): Promise<AuditLogStatus> {
    const [tree] = await this.#db.query<{ readonly size: number }>(
      "SELECT size FROM audit_tree WHERE org_id = $1",
      [NIL_ORG_ID],
    );
    const positions = await this.#db.query<{ readonly sink: string; readonly next_index: number }>(
      "SELECT sink, next_index FROM audit_export_positions WHERE org_id = $1",
      [NIL_ORG_ID],
    );
    return {
      records: tree?.size ?? 0,
      positions: new Map(positions.map((row) => [row.sink, row.next_index])),
    };
  }
}

function unreadCalls(consumer: "usage" | "memory"): string {
  return `SELECT count(*) AS count FROM (
      SELECT 1 FROM plans AS p JOIN plan_changes AS c
        ON c.org_id = p.org_id AND c.plan_id = p.plan_id AND c.sequence > p.${consumer}_through
      WHERE NOT p.is_settled AND c.call IS NOT NULL LIMIT $1) AS counted`;
}
