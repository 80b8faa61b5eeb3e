import { AppError } from "@steward/kernel/errors.js";
import type { Backoff } from "@steward/kernel/concurrency/backoff.js";
import type { EventBus, Unsubscribe } from "../../kernel/event-bus.js";
import type { Log } from "@steward/kernel/log.js";
import type { AuditEvents } from "../../kernel/tool-call.js";
import { WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { UsageRecording } from "../ports.js";
import type { UsageEvent } from "./usage-event.js";

/** Limit of tool calls per transaction, whose rows take less than 5 ms of the thread that writes. */
const BATCH_MAX = 200;
/** How long the first event waits for further ones, in ms. All of them share a commit. */
const GATHER_MS = 100;
/**
 * Minimum time between the starts of two batches, in ms. A batch takes a dozen statements and changes every total,
 * whatever its size, so while agents run steps, few batches cost the store less.
 */
const INTERVAL_MS = 400;
/** Pauses after failures of the store. */
const BACKOFF: Backoff = { baseMs: 100, capMs: 10_000 };
/** Limit of unrecorded tool calls while the store fails. At the limit, new calls are refused. */
const UNRECORDED_MAX = 10_000;

/**
 * Creates exactly one usage row for each `LlmToolCallAuditRecorded` (Contract §4.5, recording rules
 * 1 and 2). The event is only a hint that the durable log has more calls. Rows are created from the
 * log itself, in background batches. While the store fails, batches are retried. When too many
 * calls are waiting, new calls are refused; no recorded call is ever dropped.
 */
export class UsageRecorder implements AsyncDisposable {
  readonly #recording: UsageRecording;
  readonly #loop: WorkerLoop;
  readonly #unsubscribe: Unsubscribe;
  readonly #listeners = new Set<(events: readonly UsageEvent[]) => void>();
  #lane: Promise<unknown> = Promise.resolve();
  #heard = 0;
  #unrecorded = 0;
  /** Whether the last attempt to record failed. */
  #isFailing = false;

  /** Starts with calls that an earlier process has left in the log. */
  constructor(recording: UsageRecording, bus: EventBus<AuditEvents>, log: Log) {
    this.#recording = recording;
    this.#loop = new WorkerLoop({
      name: "recording usage",
      work: () => this.exclusively(() => Promise.resolve("idle")),
      gatherMs: GATHER_MS,
      intervalMs: INTERVAL_MS,
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

  /** Calls `listener` with the rows of each batch, right after its commit. */
  onRecorded(listener: (events: readonly UsageEvent[]) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs `work` when no batch is running and the log is caught up. All work that changes usage or
   * needs exact totals runs here, one after the other.
   * @throws errors of `work`; AppError `STORE_UNAVAILABLE` when the log could not be caught up.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lane.then(async () => {
      await this.#catchUp();
      return work();
    });
    this.#lane = turn.catch(() => undefined);
    return turn;
  }

  /** Records waiting calls now. If the store fails, the background loop continues later. */
  async flush(): Promise<void> {
    await this.exclusively(() => Promise.resolve()).catch(() => {
      this.#loop.wake();
    });
  }

  /** Notifies the listeners of rows that were added outside of a batch. */
  recorded(events: readonly UsageEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  /** @throws AppError `STORE_UNAVAILABLE` when the limit of unrecorded calls is reached. */
  checkRoom(): void {
    if (!this.#isFailing || this.#unrecorded < UNRECORDED_MAX) return;
    throw new AppError(
      "STORE_UNAVAILABLE",
      "Usage cannot be recorded now, and too many tool calls wait for it: try again later",
      { retryAfterMs: BACKOFF.capMs },
    );
  }

  /** Records waiting calls within the time limit of draining. The log retains the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #catchUp(): Promise<void> {
    const heard = this.#heard;
    try {
      for (;;) {
        const events = await this.#recording.recordPending(BATCH_MAX, this.#loop.setAside);
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
