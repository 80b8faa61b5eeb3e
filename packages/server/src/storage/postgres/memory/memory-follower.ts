import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Database } from "../database.js";
import { type FollowingIndex, MemoryChanges } from "./memory-changes.js";
import type { Signals } from "../signals.js";

/** Default interval for polling other nodes' entries, in ms. */
const POLL_MS = 400;
/**
 * Maximum age of a change that a poll finds, in ms. It exceeds the longest transaction of a server,
 * whose statements and idle times are limited to 15 seconds each.
 */
const RECENT_MS = 60_000;
/**
 * Interval for comparing all organizations, in ms. The comparison finds changes that were committed
 * even later, such as those of a prepared transaction that a cluster resolved after a server had
 * restarted.
 */
const COMPARE_MS = 60_000;
/** Greater than the age of any change, in ms. */
const EVER_MS = Number.MAX_SAFE_INTEGER;
/** How long the mark of a deleted entry is kept, in ms. No node may lag behind for longer. */
const DELETION_KEPT_MS = 24 * 60 * 60 * 1000;
/** Interval for deleting old marks, in ms. */
const CLEAN_MS = 60 * 60 * 1000;

/** Dependencies and settings of a follower. */
export interface MemoryFollowerParts {
  readonly db: Database;
  readonly signals: Signals;
  readonly log: Log;
  /** The model of the vectors in this node's index. */
  readonly modelId: number;
  /** Interval for polling other nodes' entries, in case a signal is lost, in ms; absent: 400. */
  readonly pollMs?: number;
  /** Interval for comparing all organizations, in ms; absent: a minute. */
  readonly compareMs?: number;
}

/**
 * Applies the additions and deletions of other nodes to this node's search index. A signal names an
 * organization, whose changes are read at once. Polls find changes whose signal was lost. No commit is missed,
 * however late it is. This node's own entries are applied twice, which changes nothing.
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
  /** Organizations named by signals. */
  readonly #named = new Set<string>();
  /**
   * The next times for polling and comparing all organizations, on the process's monotonic clock.
   */
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
      name: "reading the memory entries of other nodes",
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

  /** Starts to follow. An index that is loaded later contains all earlier changes. */
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
      const { setAside } = this.#following;
      await setAside.each(named, String, (orgId) => this.#changes.read(orgId, this.#index));
      const now = performance.now();
      if (now < Math.min(this.#pollAt, this.#compareAt)) return "idle";
      const isComparing = now >= this.#compareAt;
      await this.#changes.readAll(isComparing ? EVER_MS : RECENT_MS, this.#index, setAside);
      this.#pollAt = now + this.#pollMs;
      if (isComparing) this.#compareAt = now + this.#compareMs;
      return "idle";
    } catch (error) {
      // The database may be unreachable for longer than a poll looks back (`RECENT_MS`). Comparing all
      // organizations finds the changes of that time.
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
