import type { Clock } from "@steward/kernel/clock.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import { WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Database } from "./database.js";
import { version } from "../../version.js";
import type { NodeFile } from "./node-file.js";

/** How long a node counts as alive after its last heartbeat, in ms. */
export const NODE_LEASE_MS = 5000;
/** Interval of a node's heartbeats, in ms. */
const HEARTBEAT_MS = 1000;
/** Safety margin between checking the lease and acting on it, in ms. */
const MARGIN_MS = 1000;

/** Dependencies of a lease. */
export interface NodeLeaseOptions {
  readonly db: Database;
  readonly ids: Ids;
  readonly log: Log;
  /**
   * Stores the node's name for the next start; absent: the next start waits for the lease to
   * expire.
   */
  readonly file?: NodeFile;
}

/**
 * This process as one of several nodes: its id, its lease, and the database's time. The node may
 * work on its plans and steps only while it holds the lease. Other nodes measure the lease by the
 * database's clock; the node itself measures it by its own monotonic clock, from before the
 * request. So no two clocks are ever compared. A node is dead when another node has deleted its
 * row. Only a node that has itself sent heartbeats for the duration of a lease may do so: after an
 * outage of the database, no node is considered dead because of the outage.
 */
export class NodeLease implements Clock, AsyncDisposable {
  readonly #db: Database;
  readonly #ids: Ids;
  readonly #file: NodeFile | undefined;
  readonly #listeners = new Set<() => void>();
  #nodeId: string;
  #validUntil = 0;
  #steadySince = Infinity;
  #offsetMs = 0;
  #others: readonly string[] = [];
  #heartbeat: WorkerLoop | undefined;

  private constructor({ db, ids, file }: NodeLeaseOptions) {
    this.#db = db;
    this.#ids = ids;
    this.#file = file;
    this.#nodeId = ids.uuid();
  }

  /**
   * Joins the nodes of this store, and marks this process's previous node as dead.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  static async join(options: NodeLeaseOptions): Promise<NodeLease> {
    const lease = new NodeLease(options);
    const former = options.file?.former();
    if (former !== undefined) await lease.#bury("node_id = $2", former);
    await lease.#beat();
    lease.#heartbeat = new WorkerLoop({
      name: "this node's heartbeat",
      work: async () => {
        await lease.#beat();
        for (const listener of lease.#listeners) listener();
        return "idle";
      },
      pollMs: HEARTBEAT_MS,
      // The lease keeps expiring during an outage, so nodes must reconnect quickly.
      backoff: { baseMs: HEARTBEAT_MS, capMs: HEARTBEAT_MS },
      begin: "later",
      end: "finish",
      log: options.log,
    });
    return lease;
  }

  /** Changes each time that the lease was lost. */
  get nodeId(): string {
    return this.#nodeId;
  }

  /** Whether every other node considers this node alive, now and for a while. */
  get hasLease(): boolean {
    return performance.now() + MARGIN_MS < this.#validUntil;
  }

  /** Ids of the other live nodes, as of the last heartbeat. */
  get others(): readonly string[] {
    return this.#others;
  }

  /** The estimated time of the database. */
  nowMs(): number {
    return Math.floor(performance.now() + this.#offsetMs);
  }

  /** Whether a node is alive, as far as can be decided now. */
  async isAlive(nodeId: string): Promise<boolean> {
    await this.buryTheGone();
    return (await this.alive([nodeId])).has(nodeId);
  }

  /** The nodes of this list that no server has presumed dead. */
  async alive(nodeIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (nodeIds.length === 0) return new Set();
    const rows = await this.#db.query<{ readonly node_id: string }>(
      "SELECT node_id FROM nodes WHERE org_id = $1 AND node_id = ANY ($2::uuid[])",
      [NIL_ORG_ID, nodeIds],
    );
    return new Set(rows.map((row) => row.node_id));
  }

  /** Deletes the rows of nodes with an expired lease, if this node is allowed to. */
  async buryTheGone(): Promise<void> {
    if (performance.now() - this.#steadySince < NODE_LEASE_MS) return;
    await this.#bury("lease_until_ms < steward_now_ms()");
  }

  /** Registers `listener`, which is called after each heartbeat. */
  onBeat(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Leaves: other nodes may take this node's plans at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#heartbeat?.[Symbol.asyncDispose]();
    this.#validUntil = 0;
    await this.#db
      .query(`DELETE FROM nodes WHERE org_id = $1 AND node_id = $2`, [NIL_ORG_ID, this.#nodeId])
      .catch(() => undefined);
  }

  async #bury(which: string, ...values: readonly string[]): Promise<void> {
    const gone = await this.#db.query<{ readonly node_id: string }>(
      `DELETE FROM nodes WHERE org_id = $1 AND ${which} RETURNING node_id`,
      [NIL_ORG_ID, ...values],
    );
    if (gone.length === 0) return;
    // These reservations no longer count; deleting them only frees space.
    await this.#db.query(`DELETE FROM usage_reservations WHERE node_id = ANY ($1::uuid[])`, [
      gone.map((row) => row.node_id),
    ]);
  }

  /**
   * A node that was presumed dead returns under a new id, because other nodes may own its plans by
   * now.
   */
  async #beat(): Promise<void> {
    if (await this.#renew()) return;
    this.#nodeId = this.#ids.uuid();
    await this.#db.query(
      `INSERT INTO nodes (org_id, node_id, lease_until_ms, version)
       VALUES ($1, $2, steward_now_ms() + $3, $4)`,
      [NIL_ORG_ID, this.#nodeId, NODE_LEASE_MS, version()],
    );
    this.#file?.name(this.#nodeId);
    await this.#renew();
  }

  /** @returns false when this node has no row. */
  async #renew(): Promise<boolean> {
    const askedAt = performance.now();
    const [row] = await this.#db.query<{
      readonly now_ms: number;
      readonly others: readonly string[];
      readonly renewed: number;
    }>(
      `WITH mine AS (
         UPDATE nodes SET lease_until_ms = steward_now_ms() + $3
         WHERE org_id = $1 AND node_id = $2 RETURNING node_id)
       SELECT steward_now_ms() AS now_ms, (SELECT count(*) FROM mine) AS renewed,
         coalesce(array_agg(node_id::text), '{}') AS others
       FROM nodes WHERE org_id = $1 AND node_id <> $2`,
      [NIL_ORG_ID, this.#nodeId, NODE_LEASE_MS],
    );
    if (row === undefined || row.renewed === 0) return false;
    if (askedAt > this.#validUntil) this.#steadySince = askedAt;
    this.#validUntil = askedAt + NODE_LEASE_MS;
    this.#offsetMs = row.now_ms - (askedAt + performance.now()) / 2;
    this.#others = row.others;
    return true;
  }
}
