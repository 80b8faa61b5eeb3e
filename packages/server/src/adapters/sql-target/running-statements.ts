import { setTimeout as sleep } from "node:timers/promises";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import { StatementError } from "../../plans/ports.js";

/**
 * The running statements of a data source. After it was closed no statement starts, and closing
 * waits for those that run.
 */
export class RunningStatements {
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  /** @throws StatementError when the data source is closed, or the step is cancelled. */
  requireOpen(signal: AbortSignal): void {
    if (this.#isClosed) throw new StatementError("rolled_back", "The data source is closed");
    if (signal.aborted) throw new StatementError("aborted", "The step was cancelled before it ran");
  }

  track<Result>(running: Promise<Result>): Promise<Result> {
    this.#running.add(running);
    const done = (): void => void this.#running.delete(running);
    running.then(done, done);
    return running;
  }

  /** Refuses new statements, and waits for the running ones, at most {@link DRAIN_MS}. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    const drained = new AbortController();
    const limit = sleep(DRAIN_MS, undefined, { signal: drained.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#running), limit]);
    drained.abort();
  }
}
