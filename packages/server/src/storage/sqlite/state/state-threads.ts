import { AppError } from "@steward/kernel/errors.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { UpkeepCalls, UpkeepOrder, UpkeepReport } from "./state-upkeep-worker.js";

/** Runs work on whole stores in a separate thread with its own connection, one job at a time. */
export class StateThreads implements AsyncDisposable {
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Runs a job after the previous ones. @throws AppError of the job, or `STORE_UNAVAILABLE`. */
  async run(order: UpkeepOrder): Promise<UpkeepReport> {
    const report = this.#last.then(() => {
      if (this.#closed)
        throw new AppError("STORE_UNAVAILABLE", "The server is stopping; send the request again");
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
      new AppError("STORE_UNAVAILABLE", "The upkeep of the state was interrupted", {
        cause,
      }),
  });
  return await thread.call("run", order);
}
