import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.js";
import type { UpkeepOrder, UpkeepReport } from "./state-upkeep-worker.js";

/** Does the work on whole stores in a thread for each, with a connection of its own; one at a time. */
export class StateThreads implements AsyncDisposable {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Runs an order after those before it. @throws AppError as the work, or `STORE_UNAVAILABLE`. */
  async run(order: UpkeepOrder): Promise<UpkeepReport> {
    const report = this.#last.then(() => {
      if (this.#closed) throw new AppError("STORE_UNAVAILABLE", "The server is stopping");
      return inThread(order);
    });
    this.#last = report.catch(() => undefined);
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}

function inThread(order: UpkeepOrder): Promise<UpkeepReport> {
  const url = new URL("./state-upkeep-worker.js", import.meta.url);
  const worker = new Worker(url, { workerData: order });
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      const message = "The upkeep of the state ended before it was done";
      reject(new AppError("STORE_UNAVAILABLE", message, { cause }));
    };
    worker.once("message", (report: UpkeepReport) => {
      if (report.kind === "failed") reject(new AppError(report.code, report.message));
      else resolve(report);
    });
    worker.once("error", fail);
    worker.once("exit", () => fail(undefined));
  });
}
