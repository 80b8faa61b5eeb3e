import { AppError } from "@steward/kernel/errors.js";
import { FairQueue } from "@steward/kernel/concurrency/fair-queue.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { ORG_SEARCHES_WAITING_MAX } from "../../memory/limits.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import type { Hit, IndexEntry, IndexQuery, IndexStats, VectorIndex } from "../../memory/index.js";
import { IndexThread, stopped } from "./index-thread.js";
import type { WorkerSettings } from "./worker-protocol.js";

/**
 * Searches sent to the thread at once, which it answers together. Later searches wait here, where
 * they can still be cancelled.
 */
const SEARCHES_SENT_MAX = 16;
/** Pause before a terminated thread is restarted, in ms. */
const RESTART_MS = 1000;

/** A search that is not yet sent: it runs on the thread, or is rejected when there is none. */
type WaitingSearch = (thread: IndexThread | undefined) => Promise<void>;

/**
 * The exact index in a thread of its own, which starts when somebody asks for the index to be loaded, at
 * the latest for the first search. The thread reads the store when it starts, so restarting a
 * terminated thread loses nothing: every change that it missed is in the store.
 */
export class WorkerVectorIndex implements VectorIndex {
  readonly #settings: WorkerSettings;
  readonly #log: Log;
  readonly #telemetry: Telemetry;
  /** Waiting searches by organization, served in turn. */
  readonly #waiting = new FairQueue<WaitingSearch>(ORG_SEARCHES_WAITING_MAX);
  #thread: IndexThread | undefined;
  #restart: NodeJS.Timeout | undefined;
  #sent = 0;
  /** Entries that the thread has loaded so far; absent: it is not loading. */
  #loading: number | undefined;
  readonly #quarantined = new Set<string>();
  #closed = false;

  constructor(settings: WorkerSettings, log: Log, telemetry: Telemetry) {
    this.#settings = settings;
    this.#log = log;
    this.#telemetry = telemetry;
  }

  /** Number of entries that are missing because their stored vector is damaged. */
  quarantined(): number {
    return this.#quarantined.size;
  }

  /** Begins to load the index, unless that has begun already; nobody waits for it but searches. */
  load(): void {
    if (!this.#closed) this.#startOnce();
  }

  /** Number of entries that are loaded so far; `undefined` while the index is not loading. */
  loading(): number | undefined {
    return this.#loading;
  }

  async add(entries: readonly IndexEntry[]): Promise<void> {
    for (const { entryId } of entries) this.#quarantined.delete(entryId);
    await this.#tell((thread) => thread.call("add", entries));
  }

  async remove(entryIds: readonly string[]): Promise<void> {
    for (const entryId of entryIds) this.#quarantined.delete(entryId);
    await this.#tell((thread) => thread.call("remove", entryIds));
  }

  async search(query: IndexQuery, signal: AbortSignal): Promise<readonly Hit[]> {
    signal.throwIfAborted();
    if (this.#closed) throw stopped(undefined);
    this.#startOnce();
    const { orgId = NIL_ORG_ID } = query;
    return new Promise((resolve, reject) => {
      const run: WaitingSearch = async (thread) => {
        const hits = thread?.call("search", query) ?? Promise.reject(stopped(undefined));
        await hits.then(resolve, reject);
        signal.removeEventListener("abort", leave);
      };
      const leave = (): void => {
        this.#waiting.remove(orgId, run);
        reject(signal.reason as Error);
      };
      if (!this.#waiting.push(orgId, run)) {
        reject(tooManyWait());
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      this.#pump();
    });
  }

  async stats(orgId?: string): Promise<IndexStats | undefined> {
    return this.#thread?.isLoaded === true ? this.#thread.call("stats", orgId) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#pump();
    await thread?.close();
  }

  /** Sends waiting searches up to the limit; rejects all of them when there is no thread. */
  #pump(): void {
    while (this.#thread === undefined || this.#sent < SEARCHES_SENT_MAX) {
      const search = this.#waiting.take(() => true);
      if (search === undefined) return;
      this.#sent += 1;
      void search(this.#thread).finally(() => {
        this.#sent -= 1;
        this.#pump();
      });
    }
  }

  /**
   * Tells the thread about a change. A missing thread needs no message, because the next one reads
   * the store.
   */
  async #tell(call: (thread: IndexThread) => Promise<undefined>): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    await call(thread).catch((error: unknown) => {
      if (this.#thread === thread) throw error;
    });
  }

  /** Starts a thread, at the earliest one pause after the last one terminated. */
  #startOnce(): void {
    if (this.#thread === undefined && this.#restart === undefined) this.#start();
  }

  #start(): void {
    this.#restart = undefined;
    this.#quarantined.clear();
    this.#loading = 0;
    const startedAt = performance.now();
    this.#thread = new IndexThread(this.#settings, {
      onLoading: (entries) => {
        this.#loading = entries;
      },
      onLoaded: (entries, kernel) => {
        this.#loading = undefined;
        const durationMs = Math.round(performance.now() - startedAt);
        this.#log.info({ entries, kernel, durationMs }, "memory index loaded");
      },
      onDamaged: (entryId) => {
        this.#quarantined.add(entryId);
        this.#telemetry.count("steward_memory_quarantined_total");
        this.#log.error({ entryId }, "a stored vector is damaged; search does not find its entry");
      },
      onDied: (cause) => {
        this.#log.error({ err: cause }, "memory index stopped unexpectedly");
        this.#loading = undefined;
        this.#thread = undefined;
        this.#restart = setTimeout(() => this.#start(), RESTART_MS);
        this.#pump();
      },
    });
  }
}

function tooManyWait(): AppError {
  const message = `Your organization has ${ORG_SEARCHES_WAITING_MAX} memory searches waiting; try again`;
  return new AppError("OVERLOADED", message, { retryAfterMs: 1000 });
}
