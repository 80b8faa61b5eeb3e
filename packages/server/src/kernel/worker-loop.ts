import { type Backoff, backoffMs } from "./backoff.js";
import { DRAIN_MS } from "./limits.js";
import type { Log } from "./log.js";
import { systemTimers, type Timers } from "./timers.js";

/** What a batch found: `more` asks for the next batch at once, `idle` waits for the next wake-up. */
export type BatchEnd = "more" | "idle";

/** Pauses after failures, unless a loop has bounds of its own. */
const BACKOFF: Backoff = { baseMs: 250, capMs: 30_000 };

/** What a loop does, and when. */
export interface WorkerLoopOptions {
  /** What the loop does, for the log: "usage recording". */
  readonly name: string;
  /**
   * Does one batch. It must be safe to repeat: one that fails is tried again.
   * @param signal aborted when a loop that abandons its work ends.
   */
  readonly work: (signal: AbortSignal) => Promise<BatchEnd>;
  /** Runs a batch after this time without a wake-up, in ms. Absent: only a wake-up starts one. */
  readonly pollMs?: number;
  /** How long the first wake-up waits for others, in ms: those of that time share a batch. */
  readonly gatherMs?: number;
  /** Pause between a batch that found more and the next one, in ms, from how long it took. */
  readonly restMs?: (durationMs: number) => number;
  readonly backoff?: Backoff;
  /** `now` runs the first batch at once, `later` waits for the first wake-up or poll. */
  readonly begin: "now" | "later";
  /**
   * `drain` works off at the end what is waiting, until a batch is idle, fails, or {@link drainMs} is
   * over. `finish` completes the batch under way and starts no other. `abandon` aborts that batch.
   */
  readonly end: "drain" | "finish" | "abandon";
  /** How long draining may take, in ms. */
  readonly drainMs?: number;
  readonly log: Log;
  readonly timers?: Timers;
  /** In [0, 1): the jitter of pauses after failures. */
  readonly random?: () => number;
}

/**
 * One piece of background work: waits for a wake-up or a poll, does batches until none is left, and
 * pauses with jitter after a failure. One batch runs at a time. A wake-up is never lost: a batch that
 * starts after it follows, whatever the loop is doing. The log has one line when the work begins to
 * fail and one when it succeeds again.
 */
export class WorkerLoop implements AsyncDisposable {
  readonly #options: WorkerLoopOptions;
  readonly #timers: Timers;
  readonly #aborting = new AbortController();
  readonly #running: Promise<void>;
  #isWoken = false;
  #isIdle = false;
  #isEnding = false;
  #failures = 0;
  /** Ends the present pause early. */
  #interrupt: (() => void) | undefined;

  constructor(options: WorkerLoopOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#running = this.#run();
  }

  /** Says that there may be work. It costs next to nothing, and never runs the work itself. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isIdle) this.#interrupt?.();
  }

  /** Whether the last batch failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether the loop has been told to end: a batch of many steps looks between them. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Ends the loop as its options say. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { name, end } = this.#options;
    this.#isEnding = true;
    this.#interrupt?.();
    if (end === "abandon") this.#aborting.abort(new Error(`${name} is ending`));
    if (end === "drain") await this.#drain();
    else await this.#running;
  }

  async #run(): Promise<void> {
    // The owner is built before its first batch runs.
    await Promise.resolve();
    if (this.#options.begin === "later") await this.#untilDue();
    while (!this.#isEnding) {
      const startedMs = this.#timers.nowMs();
      const end = await this.#batch();
      if (end === "idle") await this.#untilDue();
      else await this.#pause(this.#pauseMs(end, this.#timers.nowMs() - startedMs));
    }
  }

  async #batch(): Promise<BatchEnd | "failed"> {
    const { name, work, log } = this.#options;
    this.#isWoken = false;
    try {
      const end = await work(this.#aborting.signal);
      if (this.#failures > 0) log.info({ work: name, failures: this.#failures }, "work goes on");
      this.#failures = 0;
      return end;
    } catch (error) {
      // What was aborted has not failed.
      if (this.#aborting.signal.aborted) return "failed";
      if (this.#failures === 0) {
        log.warn({ err: error, work: name }, "work fails and is tried again until it succeeds");
      }
      this.#failures += 1;
      return "failed";
    }
  }

  #pauseMs(end: "more" | "failed", durationMs: number): number {
    const { restMs, backoff = BACKOFF, random = Math.random } = this.#options;
    if (end === "failed") return backoffMs(backoff, this.#failures, random());
    // Even without a rest, the event loop has a turn between two batches.
    return restMs?.(durationMs) ?? 0;
  }

  /** Waits until it has been woken, and then for others to join, or until it is time to poll. */
  async #untilDue(): Promise<void> {
    const { pollMs, gatherMs = 0 } = this.#options;
    if (!this.#isWoken) {
      this.#isIdle = true;
      await this.#pause(pollMs);
      this.#isIdle = false;
    }
    if (this.#isWoken && gatherMs > 0) await this.#pause(gatherMs);
  }

  /** @param ms absent: until it is interrupted. */
  async #pause(ms: number | undefined): Promise<void> {
    if (this.#isEnding) return;
    await new Promise<void>((resolve) => {
      const cancel = ms === undefined ? undefined : this.#timers.after(ms, resolve);
      this.#interrupt = () => {
        cancel?.();
        resolve();
      };
    });
    this.#interrupt = undefined;
  }

  /** Works off what is waiting once the batch under way has ended, as far as the time lets it. */
  async #drain(): Promise<void> {
    let isOverdue = false;
    const drained = this.#running.then(async () => {
      while (!isOverdue && (await this.#batch()) === "more");
    });
    await new Promise<void>((resolve) => {
      const cancel = this.#timers.after(this.#options.drainMs ?? DRAIN_MS, () => {
        isOverdue = true;
        resolve();
      });
      void drained.then(() => {
        cancel();
        resolve();
      });
    });
  }
}
