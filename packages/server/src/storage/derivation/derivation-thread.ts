import type { MessagePort } from "node:worker_threads";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { CallTable } from "@steward/kernel/concurrency/worker-protocol.js";
import { AppError } from "@steward/kernel/errors.js";
import { DERIVATION_MEBIBYTES } from "./limits.js";

/** What the thread is started with. */
export interface DerivationStart {
  readonly data: unknown;
  /** Ports in the data that the thread takes over. */
  readonly ports?: readonly MessagePort[];
}

/** The thread that derives rows from committed changes. It is started by the first call, and again after it has died. */
export class DerivationThread<Calls extends CallTable<Calls>> implements AsyncDisposable {
  readonly #url: URL;
  readonly #start: () => DerivationStart;
  #thread: WorkerThread<Calls> | undefined;
  #isClosed = false;

  /** @param url the thread's module, which the engine has. */
  constructor(url: URL, start: () => DerivationStart) {
    this.#url = url;
    this.#start = start;
  }

  /** @throws AppError of the call; `STORE_UNAVAILABLE` when the thread has ended. */
  async call<Name extends keyof Calls & string>(
    name: Name,
    input: Calls[Name]["input"],
  ): Promise<Calls[Name]["output"]> {
    if (this.#isClosed) throw ended(undefined);
    this.#thread ??= this.#started();
    return this.#thread.call(name, input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.[Symbol.asyncDispose]();
  }

  #started(): WorkerThread<Calls> {
    const thread = new WorkerThread<Calls>({
      ...{ url: this.#url, ...this.#start() },
      resourceLimits: { maxOldGenerationSizeMb: DERIVATION_MEBIBYTES },
      handlers: {},
      goneError: (cause) => {
        if (this.#thread === thread) this.#thread = undefined;
        return ended(cause);
      },
    });
    return thread;
  }
}

function ended(cause: Error | undefined): AppError {
  return new AppError("STORE_UNAVAILABLE", "The store cannot be written to now", {
    cause: cause ?? new Error("the thread that derives rows has ended"),
    retryAfterMs: 1000,
  });
}
