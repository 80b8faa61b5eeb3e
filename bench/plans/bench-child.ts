import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LoadOrder, LoadResult } from "./load-order.js";

/** A process of the benchmark that is not a server under measurement. */
export class BenchChild {
  readonly #process: ChildProcess;

  private constructor(script: string) {
    this.#process = fork(fileURLToPath(new URL(script, import.meta.url)));
  }

  /** The process that calls the servers. */
  static load(): BenchChild {
    return new BenchChild("./load.js");
  }

  static echoServer(): BenchChild {
    return new BenchChild("./echo-server.js");
  }

  /** Runs a load to its end. */
  order(what: LoadOrder): Promise<LoadResult> {
    this.#process.send(what);
    return this.answer<LoadResult>();
  }

  /** The next message. */
  answer<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error("a bench process has ended early"));
      this.#process.once("exit", ended);
      this.#process.once("message", (message) => {
        this.#process.off("exit", ended);
        resolve(message as T);
      });
    });
  }

  end(): void {
    this.#process.kill();
  }
}
