import { AppError } from "../kernel/errors.js";
import type { EventBus, Unsubscribe } from "../kernel/event-bus.js";
import { DRAIN_MS } from "../kernel/limits.js";
import type { Log } from "../kernel/log.js";
import type { AuditEvents } from "../kernel/tool-call.js";
import type { UsageStore } from "./ports.js";
import type { UsageEvent } from "./usage-event.js";

/** Tool calls made rows in one transaction, at most. */
const BATCH_MAX = 500;
/** How long the first event waits for others, in ms: the calls of that time share one commit. */
const GATHER_MS = 100;
/** First pause after the store failed, in ms; doubles each time. */
const BACKOFF_BASE_MS = 100;
/** Longest pause after the store failed, in ms. */
const BACKOFF_CAP_MS = 10_000;
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
  readonly #log: Log;
  readonly #unsubscribe: Unsubscribe;
  readonly #listeners = new Set<(events: readonly UsageEvent[]) => void>();
  #lane: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #heard = 0;
  #unrecorded = 0;
  #closed = false;

  /** Starts with what a former process has left in the log. */
  constructor(store: UsageStore, bus: EventBus<AuditEvents>, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#unsubscribe = bus.subscribe("LlmToolCallAuditRecorded", () => {
      this.#heard += 1;
      this.#unrecorded += 1;
      this.#schedule(GATHER_MS);
    });
    this.#schedule(0);
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

  /** Records what waits now, as far as the store lets it; a failure is logged and tried again. */
  async flush(): Promise<void> {
    try {
      await this.exclusively(() => Promise.resolve());
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#log.warn({ err: error, failures: this.#failures }, "usage could not be recorded");
      this.#schedule(Math.min(BACKOFF_BASE_MS * 2 ** (this.#failures - 1), BACKOFF_CAP_MS));
    }
  }

  /** Tells the listeners of rows that were added by other work than a batch. */
  recorded(events: readonly UsageEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  /** @throws AppError `STORE_UNAVAILABLE` when so many calls wait that no further one may run. */
  checkRoom(): void {
    if (this.#failures === 0 || this.#unrecorded < UNRECORDED_MAX) return;
    throw new AppError(
      "STORE_UNAVAILABLE",
      "Usage cannot be recorded now, and too many tool calls wait for it: try again later",
      { retryAfterMs: BACKOFF_CAP_MS },
    );
  }

  /** Records what waits, if the store lets it within the time for draining: the log keeps the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    this.#closed = true;
    clearTimeout(this.#timer);
    let giveUp: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, DRAIN_MS);
    });
    await Promise.race([this.flush(), deadline]);
    clearTimeout(giveUp);
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, delayMs);
  }

  async #catchUp(): Promise<void> {
    const heard = this.#heard;
    for (;;) {
      const events = await this.#store.recordPending(BATCH_MAX);
      if (events.length > 0) this.recorded(events);
      if (events.length < BATCH_MAX) break;
    }
    this.#unrecorded = this.#heard - heard;
  }
}
