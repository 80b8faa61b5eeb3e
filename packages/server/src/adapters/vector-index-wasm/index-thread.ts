import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.js";
import type {
  CallName,
  WorkerCalls,
  WorkerMessage,
  WorkerRequest,
  WorkerSettings,
} from "./worker-protocol.js";

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a thread says without being asked. */
export interface ThreadEvents {
  onLoaded(entries: number, kernel: "wasm" | "js"): void;
  onDamaged(entryId: string): void;
  /** It has ended, though nobody closed it; every call that waited has been rejected. */
  onDied(cause: Error): void;
}

/** One run of the search thread: sends calls and matches the answers. */
export class IndexThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #calls = 0;
  #loaded = false;
  #ended = false;
  #closing = false;
  #cause: Error | undefined;

  constructor(settings: WorkerSettings, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: settings });
    this.#worker.on("message", (message: WorkerMessage) => {
      this.#receive(message);
    });
    this.#worker.on("error", (error) => {
      this.#cause = error;
    });
    this.#exited = new Promise((resolve) =>
      this.#worker.once("exit", () => {
        this.#end();
        resolve();
      }),
    );
  }

  /** @throws AppError as the thread says, or `STORE_UNAVAILABLE` when it ends before it answers. */
  call<Name extends CallName>(
    name: Name,
    input: WorkerCalls[Name]["input"],
  ): Promise<WorkerCalls[Name]["output"]> {
    if (this.#ended) return Promise.reject(stopped(this.#cause));
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ id, call: name, input } as WorkerRequest);
    }) as Promise<WorkerCalls[Name]["output"]>;
  }

  /** Ends the thread once it has answered what it was asked, or at once while it still loads. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#loaded) this.#post("close");
    else await this.#worker.terminate();
    await this.#exited;
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #receive(message: WorkerMessage): void {
    switch (message.kind) {
      case "loaded":
        this.#loaded = true;
        this.#events.onLoaded(message.entries, message.kernel);
        break;
      case "damaged":
        this.#events.onDamaged(message.entryId);
        break;
      case "answered":
        this.#take(message.id)?.resolve(message.output);
        break;
      case "failed":
        this.#take(message.id)?.reject(
          new AppError(message.code, message.message, { cause: message.cause }),
        );
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting.values()) waiting.reject(stopped(this.#cause));
    this.#waiting.clear();
    if (!this.#closing) this.#events.onDied(this.#cause ?? new Error("the thread has ended"));
  }
}

/** The index is not there now. */
export function stopped(cause: unknown): AppError {
  return new AppError("STORE_UNAVAILABLE", "The memory index is not running now", {
    cause,
    retryAfterMs: 1000,
  });
}
