import { AppError } from "@steward/kernel/errors.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { UpkeepCalls, UpkeepOrder, UpkeepReport } from "./state-upkeep-worker.js";

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

async function inThread(order: UpkeepOrder): Promise<UpkeepReport> {
  await using thread = new WorkerThread<UpkeepCalls>({
    url: new URL("./state-upkeep-worker.js", import.meta.url),
    handlers: {},
    goneError: (cause) =>
      new AppError("STORE_UNAVAILABLE", "The upkeep of the state ended before it was done", {
        cause,
      }),
  });
  return await thread.call("run", order);
}
