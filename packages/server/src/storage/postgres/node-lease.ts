import type { Clock } from "@steward/kernel/clock.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import { WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Database } from "./database.js";
import type { NodeFile } from "./node-file.js";

/** How long a node that is not heard of counts as alive, in ms. */
const NODE_LEASE_MS = 5000;
/** How often a node says that it is alive, in ms. */
const HEARTBEAT_MS = 1000;
/** What may pass between asking whether the lease holds and acting on it, in ms. */
const MARGIN_MS = 1000;

/** What a lease is built on. */
export interface NodeLeaseOptions {
  readonly db: Database;
  readonly ids: Ids;
  readonly log: Log;
  /** Names the node for the next start; absent: that one waits for a lease. */
  readonly file?: NodeFile;
}

/**
 * This process as a node among others: its id, its lease, and the database's time. The lease is what
 * a node's hold on its plans and steps rests on. It is measured by the database's clock for everybody
 * else, and by this process's own monotonic clock, from before it was asked for, for itself: no two
 * clocks are ever compared. A node is gone when another has taken its row away, which only one may
 * that has itself been heard of for as long as a lease lasts: when the database comes back after a
 * while, nobody is gone for that.
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
   * Joins the nodes of this store, and says of this process's former self that it is gone.
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
      // The lease goes on running out: a database that comes back must find its nodes soon.
      backoff: { baseMs: HEARTBEAT_MS, capMs: HEARTBEAT_MS },
      begin: "later",
      end: "finish",
      log: options.log,
    });
    return lease;
  }

  /** Another one after each time that the lease was lost. */
  get nodeId(): string {
    return this.#nodeId;
  }

  /** Whether everybody still takes this node for alive, and will for a while. */
  get hasLease(): boolean {
    return performance.now() + MARGIN_MS < this.#validUntil;
  }

  /** Ids of the nodes alive beside this one, as of the last heartbeat. */
  get others(): readonly string[] {
    return this.#others;
  }

  /** The database's time, as far as this process can tell. */
  nowMs(): number {
    return Math.floor(performance.now() + this.#offsetMs);
  }

  /** Whether a node is alive, as far as may be decided now. */
  async isAlive(nodeId: string): Promise<boolean> {
    await this.buryTheGone();
    const rows = await this.#db.query(`SELECT FROM nodes WHERE org_id = $1 AND node_id = $2`, [
      NIL_ORG_ID,
      nodeId,
    ]);
    return rows.length > 0;
  }

  /** Takes the rows of nodes away whose lease is over, if this node may say so. */
  async buryTheGone(): Promise<void> {
    if (performance.now() - this.#steadySince < NODE_LEASE_MS) return;
    await this.#bury("lease_until_ms < steward_now_ms()");
  }

  /** Has `listener` called after each heartbeat. */
  onBeat(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Leaves: others may take this node's plans at once. */
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
    // They count no more already; what is left of them only takes room.
    await this.#db.query(`DELETE FROM usage_reservations WHERE node_id = ANY ($1::uuid[])`, [
      gone.map((row) => row.node_id),
    ]);
  }

  /** One that was taken for gone comes back as somebody else: its plans may be another's by now. */
  async #beat(): Promise<void> {
    if (await this.#renew()) return;
    this.#nodeId = this.#ids.uuid();
    await this.#db.query(
      `INSERT INTO nodes (org_id, node_id, lease_until_ms)
       VALUES ($1, $2, steward_now_ms() + $3)`,
      [NIL_ORG_ID, this.#nodeId, NODE_LEASE_MS],
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
