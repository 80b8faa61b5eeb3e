import type { Clock } from "@steward/kernel/clock.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Log } from "@steward/kernel/log.js";
import { BatchSize, restAfter } from "./batch-size.js";
import { BATCH_TARGET_MS } from "./limits.js";
import type {
  ExpiredEntries,
  ExpiredPage,
  ExpiredRows,
  PageDeleted,
  RetentionStore,
} from "./ports.js";
import { type RetentionClass, retentionDays, type RetentionRules } from "./retention-period.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Pause between two sweeps, in ms. Minutes are precise enough, because periods are in days. */
const SWEEP_EVERY_MS = 10 * 60 * 1000;
/**
 * Interval between two purges of the full-text index, in ms. A purge rewrites the index, which costs a
 * few microseconds for each entry, so that it is not worth while for a few deleted entries.
 */
const PURGE_EVERY_MS = DAY_MS;

/** Dependencies of the sweeper. */
export interface RetentionSweeperParts {
  readonly rules: RetentionRules;
  readonly store: Pick<RetentionStore, "latest">;
  readonly rows: ExpiredRows;
  readonly entries: Pick<ExpiredEntries, "deleteEntries">;
  /** Runs `work` while nothing else changes or checks usage in this process. */
  readonly withUsage: <T>(work: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The batches in which one class of an organization is deleted. */
interface Batches {
  /** Rows before this time are expired, in ms since the epoch; -Infinity: none is. */
  readonly beforeMs: number;
  readonly size: BatchSize;
}

/** The number of deleted rows by class. */
export type DeletedRows = Readonly<Partial<Record<RetentionClass, number>>>;

/**
 * Deletes data at the end of its retention period: one organization after the other, in batches of a few
 * milliseconds with pauses between them, so that writers hardly wait.
 */
export class RetentionSweeper implements AsyncDisposable {
  readonly #parts: RetentionSweeperParts;
  readonly #loop: WorkerLoop;
  /** The sweep in progress, one batch at a time. */
  #batches: AsyncGenerator<void> | undefined;
  #deleted: Partial<Record<RetentionClass, number>> = {};
  /** When the full-text index was purged last, by this process. */
  #purgedAtMs = -Infinity;

  constructor(parts: RetentionSweeperParts) {
    this.#parts = parts;
    this.#loop = new WorkerLoop({
      name: "deleting expired data",
      work: () => this.#next(),
      pollMs: SWEEP_EVERY_MS,
      restMs: restAfter,
      begin: "later",
      end: "finish",
      log: parts.log,
    });
  }

  /** Deletes everything that is expired now, without pauses. @throws AppError `STORE_UNAVAILABLE`. */
  async sweep(): Promise<DeletedRows> {
    this.#deleted = {};
    for await (const _batch of this.#sweep(Infinity)) if (this.#loop.isEnding) break;
    return this.#deleted;
  }

  /** Starts a sweep now, such as after a period was shortened. */
  wake(): void {
    this.#loop.wake();
  }

  /** Waits for the batch in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  async #next(): Promise<BatchEnd> {
    if (this.#batches === undefined) this.#deleted = {};
    this.#batches ??= this.#sweep(BATCH_TARGET_MS);
    try {
      if ((await this.#batches.next()).done !== true) return "more";
    } catch (error) {
      this.#batches = undefined;
      throw error;
    }
    this.#batches = undefined;
    const deleted = this.#deleted;
    if (Object.keys(deleted).length > 0) this.#parts.log.info(deleted, "expired data deleted");
    return "idle";
  }

  /** @param targetMs the duration that a batch should have, in ms. */
  async *#sweep(targetMs: number): AsyncGenerator<void> {
    const { rows, clock } = this.#parts;
    for (let orgId: string | undefined; ;) {
      orgId = await rows.nextOrganization(orgId);
      if (orgId === undefined) break;
      const id = orgId;
      yield* this.#loop.setAside.inBatches(id, () => this.#sweepOrganization(id, targetMs));
    }
    if (clock.nowMs() - this.#purgedAtMs < PURGE_EVERY_MS) return;
    while (await rows.purgeWords()) yield;
    this.#purgedAtMs = clock.nowMs();
  }

  async *#sweepOrganization(orgId: string, targetMs: number): AsyncGenerator<void> {
    const { rules, store, rows, entries, withUsage, clock } = this.#parts;
    const own = (await store.latest(orgId))?.periods ?? {};
    const expiryOf = (of: RetentionClass): number => {
      const days = retentionDays(rules, own, of);
      return days === undefined ? -Infinity : clock.nowMs() - days * DAY_MS;
    };
    const newSize = () => new BatchSize(targetMs);
    yield* this.#pages("plans", { beforeMs: expiryOf("plans"), size: newSize() }, (page) =>
      rows.deletePlans(orgId, page),
    );
    const logs = newSize();
    while (await logs.batch((limit) => rows.deleteLogs(orgId, limit))) yield;
    const keysMs = expiryOf("idempotency_keys");
    yield* this.#pages("idempotency_keys", { beforeMs: keysMs, size: newSize() }, (page) =>
      rows.deleteIdempotencyKeys(orgId, page),
    );
    // Whole days, so that each stored total has either all of its rows or none.
    const dayMs = Math.floor(expiryOf("usage_detail") / DAY_MS) * DAY_MS;
    yield* this.#batchesOf("usage_detail", { beforeMs: dayMs, size: newSize() }, (limit) =>
      withUsage(() => rows.deleteUsageDetail(orgId, dayMs, limit)),
    );
    const entriesMs = expiryOf("memory");
    yield* this.#batchesOf("memory", { beforeMs: entriesMs, size: newSize() }, (limit) =>
      entries.deleteEntries(orgId, { beforeMs: entriesMs }, limit),
    );
  }

  /** Deletes page by page; a page may have rows that must stay. */
  async *#pages(
    of: RetentionClass,
    { beforeMs, size }: Batches,
    remove: (page: ExpiredPage) => Promise<PageDeleted>,
  ): AsyncGenerator<void> {
    if (beforeMs === -Infinity) return;
    for (let after: { after?: string } | undefined = {}; after !== undefined;) {
      const next: { readonly after?: string } = after;
      const page = await size.batch((limit) => remove({ beforeMs, limit, ...next }));
      this.#count(of, page.deleted);
      after = page.through === undefined ? undefined : { after: page.through };
      yield;
    }
  }

  /** Deletes until a batch is not full. */
  async *#batchesOf(
    of: RetentionClass,
    { beforeMs, size }: Batches,
    remove: (limit: number) => Promise<number>,
  ): AsyncGenerator<void> {
    if (beforeMs === -Infinity) return;
    for (let isFull = true; isFull;) {
      isFull = await size.batch(async (limit) => {
        const deleted = await remove(limit);
        this.#count(of, deleted);
        return deleted === limit;
      });
      yield;
    }
  }

  #count(of: RetentionClass, deleted: number): void {
    if (deleted > 0) this.#deleted[of] = (this.#deleted[of] ?? 0) + deleted;
  }
}
