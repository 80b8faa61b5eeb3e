import { type Backoff, backoffMs } from "./backoff.js";
import { DRAIN_MS } from "../limits.js";
import type { Log } from "../log.js";
import { SetAside } from "./set-aside.js";
import { systemTimers, type Timers } from "./timers.js";

/** Result of a batch: `more` starts the next batch at once, `idle` waits for the next wake-up. */
export type BatchEnd = "more" | "idle";

/** Default bounds of the pauses after failures. */
const BACKOFF: Backoff = { baseMs: 250, capMs: 30_000 };

/** The loops of this process. */
const running = new Set<WorkerLoop>();

/** The tasks of this process that fail as a whole or have set items aside, for the operator. */
export function failingWork(): readonly FailingWork[] {
  return [...running].flatMap(({ name: work, isFailing, setAside }) =>
    isFailing || setAside.size > 0 ? [{ work, isFailing, setAside: setAside.size }] : [],
  );
}

/** A background task that needs attention. */
export interface FailingWork {
  readonly work: string;
  /** Whether its last batch failed. */
  readonly isFailing: boolean;
  /** The number of items that fail on their own. */
  readonly setAside: number;
}

export interface WorkerLoopOptions {
  /** What the loop does, for the log: "usage recording". */
  readonly name: string;
  /**
   * Runs one batch. It must be idempotent, because a batch that fails is repeated.
   * @param signal aborted when a loop with `end: "abandon"` is disposed of.
   */
  readonly work: (signal: AbortSignal) => Promise<BatchEnd>;
  /** Runs a batch after this time without a wake-up, in ms. Absent: the loop does not poll. */
  readonly pollMs?: number;
  /**
   * How long the loop collects further wake-ups after the first, in ms. All of them share a batch.
   */
  readonly gatherMs?: number;
  /**
   * Minimum time between the starts of two batches that wake-ups cause, in ms. While wake-ups keep coming,
   * the batches are then few and large. A wake-up after a quiet time waits only for {@link gatherMs}.
   */
  readonly intervalMs?: number;
  /**
   * Computes the pause after a batch that returned `more` from the batch's duration; both in ms.
   */
  readonly restMs?: (durationMs: number) => number;
  readonly backoff?: Backoff;
  /** Bounds of the pauses of single items that fail; absent: from seconds to minutes. */
  readonly itemBackoff?: Backoff;
  /** `now` runs the first batch at once, `later` waits for the first wake-up or poll. */
  readonly begin: "now" | "later";
  /**
   * What disposal does with pending work. `drain` runs batches until one is idle, one fails, or
   * {@link drainMs} is over. `finish` completes the running batch and starts no other. `abandon`
   * aborts the running batch.
   */
  readonly end: "drain" | "finish" | "abandon";
  /** Time limit of draining, in ms. */
  readonly drainMs?: number;
  readonly log: Log;
  readonly timers?: Timers;
  /** Random source in [0, 1) for the jitter of pauses after failures. */
  readonly random?: () => number;
}

/**
 * A background task. It waits for a wake-up or a poll, runs batches until one is idle, and pauses
 * with jitter after a failure. At most one batch runs at a time. No wake-up is lost: each is
 * followed by a batch that starts after it. The log gets one line when the work begins to fail and
 * one when it succeeds again.
 */
export class WorkerLoop implements AsyncDisposable {
  /** The items of this task that fail on their own. A batch handles its items through it. */
  readonly setAside: SetAside;
  readonly #options: WorkerLoopOptions;
  readonly #timers: Timers;
  readonly #aborting = new AbortController();
  readonly #running: Promise<void>;
  #isWoken = false;
  #isIdle = false;
  #isEnding = false;
  #failures = 0;
  /** When the last batch started, on the clock of the timers. */
  #startedMs = -Infinity;
  /** Interrupts the current pause. */
  #interrupt: (() => void) | undefined;

  constructor(options: WorkerLoopOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    const { name: work, log, random = Math.random, itemBackoff: backoff } = options;
    this.setAside = new SetAside({
      ...{ work, log, timers: this.#timers, random },
      ...(backoff === undefined ? {} : { backoff }),
    });
    running.add(this);
    this.#running = this.#run();
  }

  /** Announces that there may be work. The call is cheap and never runs the work itself. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isIdle) this.#interrupt?.();
  }

  /** What the loop does, for the log. */
  get name(): string {
    return this.#options.name;
  }

  /** Whether the last batch failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether the loop is being disposed of. A long batch checks this between its steps. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Ends the loop according to the option `end`. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { name, end } = this.#options;
    this.#isEnding = true;
    this.#interrupt?.();
    if (end === "abandon") this.#aborting.abort(new Error(`${name} is ending`));
    if (end === "drain") await this.#drain();
    else await this.#running;
    running.delete(this);
  }

  async #run(): Promise<void> {
    // Lets the constructor of the loop's owner complete before the first batch runs.
    await Promise.resolve();
    if (this.#options.begin === "later") await this.#untilDue();
    while (!this.#isEnding) {
      this.#startedMs = this.#timers.nowMs();
      const end = await this.#batch();
      if (end === "idle") await this.#untilDue();
      else await this.#pause(this.#pauseMs(end, this.#timers.nowMs() - this.#startedMs));
    }
  }

  async #batch(): Promise<BatchEnd | "failed"> {
    const { name, work, log } = this.#options;
    this.#isWoken = false;
    try {
      const end = await work(this.#aborting.signal);
      if (this.#failures > 0)
        log.info({ work: name, failures: this.#failures }, "background work succeeds again");
      this.#failures = 0;
      return end;
    } catch (error) {
      // An aborted batch does not count as a failure.
      if (this.#aborting.signal.aborted) return "failed";
      if (this.#failures === 0) {
        log.warn(
          { err: error, work: name },
          "background work failed and is retried until it succeeds",
        );
      }
      this.#failures += 1;
      return "failed";
    }
  }

  #pauseMs(end: "more" | "failed", durationMs: number): number {
    const { restMs, backoff = BACKOFF, random = Math.random } = this.#options;
    if (end === "failed") return backoffMs(backoff, this.#failures, random());
    // Even with a pause of 0 ms, other events are handled between two batches.
    return restMs?.(durationMs) ?? 0;
  }

  /** Waits for a wake-up (and then for others to join its batch), or for the next poll. */
  async #untilDue(): Promise<void> {
    const { pollMs, gatherMs = 0, intervalMs = 0 } = this.#options;
    if (!this.#isWoken) {
      this.#isIdle = true;
      await this.#pause(pollMs);
      this.#isIdle = false;
    }
    if (!this.#isWoken) return;
    const pauseMs = Math.max(gatherMs, this.#startedMs + intervalMs - this.#timers.nowMs());
    if (pauseMs > 0) await this.#pause(pauseMs);
  }

  /** @param ms absent: until {@link wake} or disposal interrupts the pause. */
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

  /** Waits for the running batch, then runs further batches within the time limit of draining. */
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
