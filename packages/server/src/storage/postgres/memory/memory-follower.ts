import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Database } from "../database.js";
import { type FollowingIndex, MemoryChanges } from "./memory-changes.js";
import type { Signals } from "../signals.js";

/** How often other nodes' entries are looked for unless said otherwise, in ms. */
const POLL_MS = 400;
/**
 * How old a change may be that a poll still finds, in ms: longer than any transaction of a server
 * lives, whose statements and pauses are ended after 15 seconds each.
 */
const RECENT_MS = 60_000;
/**
 * How often all organizations are compared, in ms. It finds what was committed later than that: a
 * prepared transaction that a cluster has resolved after one of its servers came back.
 */
const COMPARE_MS = 60_000;
/** Any change is younger than this, in ms. */
const EVER_MS = Number.MAX_SAFE_INTEGER;
/** How long the mark of a deleted entry is kept, in ms: no node may lag behind for longer. */
const DELETION_KEPT_MS = 24 * 60 * 60 * 1000;
/** How often old marks are taken away, in ms. */
const CLEAN_MS = 60 * 60 * 1000;

/** What a follower works with. */
export interface MemoryFollowerParts {
  readonly db: Database;
  readonly signals: Signals;
  readonly log: Log;
  /** Whose vectors this node's index holds. */
  readonly modelId: number;
  /** How often other nodes' entries are looked for, should a signal be lost, in ms; absent: 400. */
  readonly pollMs?: number;
  /** How often all organizations are compared, in ms; absent: a minute. */
  readonly compareMs?: number;
}

/**
 * Tells this node's search index of the entries that other nodes add and delete. A signal names the
 * organization, and that one is read at once; polls find what signals did not tell. No commit is missed,
 * however late it came; this node's own entries come by twice, which changes nothing.
 */
export class MemoryFollower implements AsyncDisposable {
  readonly #db: Database;
  readonly #index: FollowingIndex;
  readonly #changes: MemoryChanges;
  readonly #signals: Signals;
  readonly #pollMs: number;
  readonly #compareMs: number;
  readonly #following: WorkerLoop;
  readonly #cleaning: WorkerLoop;
  /** Organizations that signals have named. */
  readonly #named = new Set<string>();
  /** When all organizations are polled and compared next, by the process's monotonic clock. */
  #pollAt = 0;
  #compareAt: number;
  readonly #onSignal = (orgId: string): void => {
    this.#named.add(orgId);
    this.#following.wake();
  };
  readonly #onMissed = (): void => {
    this.#pollAt = 0;
    this.#following.wake();
  };

  private constructor(parts: MemoryFollowerParts, index: FollowingIndex, changes: MemoryChanges) {
    const { pollMs = POLL_MS, compareMs = COMPARE_MS } = parts;
    this.#db = parts.db;
    this.#signals = parts.signals;
    this.#index = index;
    this.#changes = changes;
    this.#pollMs = pollMs;
    this.#compareMs = compareMs;
    this.#pollAt = performance.now() + pollMs;
    this.#compareAt = performance.now() + compareMs;
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
      begin: "now",
      end: "finish",
      log: parts.log,
    });
    this.#signals.on("memory", this.#onSignal);
    this.#signals.on("missed", this.#onMissed);
  }

  /** Follows from now on: an index that is loaded later holds what came before. */
  static async start(parts: MemoryFollowerParts, index: FollowingIndex): Promise<MemoryFollower> {
    const changes = new MemoryChanges(parts.db, parts.modelId);
    await changes.skip();
    return new MemoryFollower(parts, index, changes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signals.off("memory", this.#onSignal);
    this.#signals.off("missed", this.#onMissed);
    await this.#following[Symbol.asyncDispose]();
    await this.#cleaning[Symbol.asyncDispose]();
  }

  async #read(): Promise<BatchEnd> {
    try {
      const named = [...this.#named];
      this.#named.clear();
      for (const orgId of named) await this.#changes.read(orgId, this.#index);
      const now = performance.now();
      if (now < Math.min(this.#pollAt, this.#compareAt)) return "idle";
      const isComparing = now >= this.#compareAt;
      await this.#changes.readAll(isComparing ? EVER_MS : RECENT_MS, this.#index);
      this.#pollAt = now + this.#pollMs;
      if (isComparing) this.#compareAt = now + this.#compareMs;
      return "idle";
    } catch (error) {
      // How long the database stays away is not known: what was recent may be old then.
      this.#compareAt = 0;
      throw error;
    }
  }

  async #clean(): Promise<BatchEnd> {
    await this.#db.query(
      "DELETE FROM memory_deletions WHERE deleted_at_ms < steward_now_ms() - $1::bigint",
      [DELETION_KEPT_MS],
    );
    return "idle";
  }
}
