import { AppError } from "../kernel/errors.js";
import type { Backoff } from "../kernel/backoff.js";
import type { EventBus, Unsubscribe } from "../kernel/event-bus.js";
import type { Log } from "../kernel/log.js";
import type { AuditEvents } from "../kernel/tool-call.js";
import { WorkerLoop } from "../kernel/worker-loop.js";
import type { UsageStore } from "./ports.js";
import type { UsageEvent } from "./usage-event.js";

/** Tool calls made rows in one transaction, at most. */
const BATCH_MAX = 500;
/** How long the first event waits for others, in ms: the calls of that time share one commit. */
const GATHER_MS = 100;
/** Pauses after the store failed. */
const BACKOFF: Backoff = { baseMs: 100, capMs: 10_000 };
/** Tool calls that may wait while the store fails, before new ones are refused. */
const UNRECORDED_MAX = 10_000;

/**
 * Turns each `LlmToolCallAuditRecorded` into exactly one usage row (Contract §4.5, recording rules 1
 * and 2). The event only says that the durable log of tool calls has more: the rows are made in the
 * background, in batches, from the log itself. While the store fails it is asked again and again,
 * and when too many calls wait, new ones are refused: none is ever dropped.
 */
export class UsageRecorder implements AsyncDisposable {
  readonly #store: UsageStore;
  readonly #loop: WorkerLoop;
  readonly #unsubscribe: Unsubscribe;
  readonly #listeners = new Set<(events: readonly UsageEvent[]) => void>();
  #lane: Promise<unknown> = Promise.resolve();
  #heard = 0;
  #unrecorded = 0;
  /** Whether the store failed when it was last asked to record. */
  #isFailing = false;

  /** Starts with what a former process has left in the log. */
  constructor(store: UsageStore, bus: EventBus<AuditEvents>, log: Log) {
    this.#store = store;
    this.#loop = new WorkerLoop({
      name: "recording usage",
      work: () => this.exclusively(() => Promise.resolve("idle")),
      gatherMs: GATHER_MS,
      backoff: BACKOFF,
      begin: "now",
      end: "drain",
      log,
    });
    this.#unsubscribe = bus.subscribe("LlmToolCallAuditRecorded", () => {
      this.#heard += 1;
      this.#unrecorded += 1;
      this.#loop.wake();
    });
  }

  /** Has `listener` called with the rows of each batch, right after its commit. */
  onRecorded(listener: (events: readonly UsageEvent[]) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs `work` with no batch under way and none waiting in the log. Whatever changes usage or asks
   * for totals to go on with runs here, one after the other.
   * @throws what `work` throws, or AppError `STORE_UNAVAILABLE` when the log could not be caught up.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lane.then(async () => {
      await this.#catchUp();
      return work();
    });
    this.#lane = turn.catch(() => undefined);
    return turn;
  }

  /** Records what waits now, as far as the store lets it; what it does not is left to the loop. */
  async flush(): Promise<void> {
    await this.exclusively(() => Promise.resolve()).catch(() => {
      this.#loop.wake();
    });
  }

  /** Tells the listeners of rows that were added by other work than a batch. */
  recorded(events: readonly UsageEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  /** @throws AppError `STORE_UNAVAILABLE` when so many calls wait that no further one may run. */
  checkRoom(): void {
    if (!this.#isFailing || this.#unrecorded < UNRECORDED_MAX) return;
    throw new AppError(
      "STORE_UNAVAILABLE",
      "Usage cannot be recorded now, and too many tool calls wait for it: try again later",
      { retryAfterMs: BACKOFF.capMs },
    );
  }

  /** Records what waits, if the store lets it within the time for draining: the log keeps the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #catchUp(): Promise<void> {
    const heard = this.#heard;
    try {
      for (;;) {
        const events = await this.#store.recordPending(BATCH_MAX);
        if (events.length > 0) this.recorded(events);
        if (events.length < BATCH_MAX) break;
      }
    } catch (error) {
      this.#isFailing = true;
      throw error;
    }
    this.#isFailing = false;
    this.#unrecorded = this.#heard - heard;
  }
}
