import type { Log } from "../../kernel/log.js";
import { type BatchEnd, WorkerLoop } from "../../kernel/worker-loop.js";
import type { VectorIndex } from "../../memory/index.js";
import type { Database } from "./database.js";
import { indexEntryOf, type CodeRow } from "./memory-index-source.js";
import { FIRST_ID } from "./memory-rows.js";
import type { Signals } from "./signals.js";

/** How often other nodes' entries are looked for unless said otherwise, in ms. */
const POLL_MS = 400;
/** Changes read at once. */
const CHANGES_MAX = 2000;
/** How long the mark of a deleted entry is kept, in ms: no node may lag behind for longer. */
const DELETION_KEPT_MS = 24 * 60 * 60 * 1000;
/** How often old marks are taken away, in ms. */
const CLEAN_MS = 60 * 60 * 1000;

/** What of an index follows the store. */
type FollowingIndex = Pick<VectorIndex, "add" | "remove">;

/** What a follower works with. */
export interface MemoryFollowerParts {
  readonly db: Database;
  readonly signals: Signals;
  readonly log: Log;
  /** Whose vectors this node's index holds. */
  readonly modelId: number;
  /** How often other nodes' entries are looked for, should a signal be lost, in ms; absent: 400. */
  readonly pollMs?: number;
}

/**
 * Tells this node's search index of the entries that other nodes add and delete. It reads what its last
 * snapshot of the store did not show, so that no commit is missed, however late it came; its own
 * node's entries come by twice, which changes nothing.
 */
export class MemoryFollower implements AsyncDisposable {
  readonly #db: Database;
  readonly #index: FollowingIndex;
  readonly #signals: Signals;
  readonly #modelId: number;
  readonly #following: WorkerLoop;
  readonly #cleaning: WorkerLoop;
  readonly #onSignal = (): void => {
    this.#following.wake();
  };
  #snapshot: string;

  private constructor(parts: MemoryFollowerParts, index: FollowingIndex, snapshot: string) {
    this.#db = parts.db;
    this.#signals = parts.signals;
    this.#modelId = parts.modelId;
    this.#index = index;
    this.#snapshot = snapshot;
    const pollMs = parts.pollMs ?? POLL_MS;
    this.#following = new WorkerLoop({
      name: "reading other nodes' memory entries",
      work: () => this.#read(),
      pollMs,
      backoff: { baseMs: pollMs, capMs: 10 * pollMs },
      begin: "later",
      end: "finish",
      log: parts.log,
    });
    this.#cleaning = new WorkerLoop({
      name: "deleting old marks of deleted memory entries",
      work: () => this.#clean(),
      pollMs: CLEAN_MS,
      begin: "later",
      end: "finish",
      log: parts.log,
    });
    this.#signals.on("memory", this.#onSignal);
  }

  /** Follows from now on: an index that is loaded later holds what came before. */
  static async start(parts: MemoryFollowerParts, index: FollowingIndex): Promise<MemoryFollower> {
    const [row] = await parts.db.query<{ readonly snapshot: string }>(
      "SELECT pg_current_snapshot()::text AS snapshot",
    );
    return new MemoryFollower(parts, index, row?.snapshot ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signals.off("memory", this.#onSignal);
    await this.#following[Symbol.asyncDispose]();
    await this.#cleaning[Symbol.asyncDispose]();
  }

  /** The new snapshot counts only when everything that it shows has reached the index. */
  async #read(): Promise<BatchEnd> {
    const [now] = await this.#db.query<{ readonly snapshot: string }>(
      "SELECT pg_current_snapshot()::text AS snapshot",
    );
    if (now === undefined || now.snapshot === this.#snapshot) return "idle";
    await this.#add();
    await this.#remove();
    this.#snapshot = now.snapshot;
    return "idle";
  }

  async #add(): Promise<void> {
    let after = "0";
    let last = FIRST_ID;
    for (;;) {
      const rows = await this.#db.query<CodeRow & { readonly change_xid: string }>(
        `SELECT v.org_id, v.entry_id, v.created_at_ms, v.code, v.change_xid::text AS change_xid
         FROM memory_entry_embeddings AS v
         WHERE v.model_id = $5 AND v.change_xid >= pg_snapshot_xmin($1::pg_snapshot)
           AND NOT pg_visible_in_snapshot(v.change_xid, $1::pg_snapshot)
           AND (v.change_xid, v.entry_id) > ($2::xid8, $3::uuid)
         ORDER BY v.change_xid, v.entry_id LIMIT $4`,
        [this.#snapshot, after, last, CHANGES_MAX, this.#modelId],
      );
      if (rows.length > 0) await this.#index.add(rows.map(indexEntryOf));
      const end = rows.at(-1);
      if (end === undefined || rows.length < CHANGES_MAX) return;
      [after, last] = [end.change_xid, end.entry_id];
    }
  }

  async #remove(): Promise<void> {
    const rows = await this.#db.query<{ readonly entry_id: string }>(
      `SELECT entry_id FROM memory_deletions
       WHERE change_xid >= pg_snapshot_xmin($1::pg_snapshot)
         AND NOT pg_visible_in_snapshot(change_xid, $1::pg_snapshot)`,
      [this.#snapshot],
    );
    if (rows.length > 0) await this.#index.remove(rows.map((row) => row.entry_id));
  }

  async #clean(): Promise<BatchEnd> {
    await this.#db.query(
      "DELETE FROM memory_deletions WHERE deleted_at_ms < steward_now_ms() - $1::bigint",
      [DELETION_KEPT_MS],
    );
    return "idle";
  }
}
