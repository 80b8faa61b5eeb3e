import { AppError } from "@steward/kernel/errors.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { WorkerCalls, WorkerNews, WorkerSettings } from "./worker-protocol.js";

/** Notifications from the thread. */
export interface ThreadEvents {
  onLoading(entries: number): void;
  onLoaded(entries: number, kernel: "wasm" | "js"): void;
  onDamaged(entryId: string): void;
  /** The thread terminated unexpectedly. Every pending call has been rejected. */
  onDied(cause: Error): void;
}

/** One instance of the search thread. */
export class IndexThread {
  readonly #thread: WorkerThread<WorkerCalls, WorkerNews>;
  #loaded = false;
  #closing = false;

  constructor(settings: WorkerSettings, events: ThreadEvents) {
    this.#thread = new WorkerThread({
      url: new URL("./worker.js", import.meta.url),
      data: settings,
      handlers: {
        loading: ({ entries }) => {
          events.onLoading(entries);
          return undefined;
        },
        loaded: ({ entries, kernel }) => {
          this.#loaded = true;
          events.onLoaded(entries, kernel);
          return undefined;
        },
        damaged: ({ entryId }) => {
          events.onDamaged(entryId);
          return undefined;
        },
      },
      goneError: stopped,
    });
    void this.#thread.ended.then((cause) => {
      if (!this.#closing) events.onDied(cause ?? new Error("the thread has ended"));
    });
  }

  /** Whether every entry of the store is in the index. */
  get isLoaded(): boolean {
    return this.#loaded;
  }

  /**
   * @throws AppError from the thread, or `STORE_UNAVAILABLE` when the thread terminates before it
   * answers.
   */
  call<Name extends keyof WorkerCalls>(
    name: Name,
    input: WorkerCalls[Name]["input"],
  ): Promise<WorkerCalls[Name]["output"]> {
    return this.#thread.call(name, input);
  }

  /** Terminates the thread after it has answered pending calls, or at once while it is loading. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#loaded) await this.#thread[Symbol.asyncDispose]();
    else await this.#thread.terminate();
  }
}

/** The error for a thread that is not running. */
export function stopped(cause: unknown): AppError {
  return new AppError("STORE_UNAVAILABLE", "The memory index is not running now; try again", {
    cause,
    retryAfterMs: 1000,
  });
}
