import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.js";
import { type Collection, type Fault, GRACE_MS, type StateUpkeep } from "../../state/index.js";
import { stateFile } from "./block-stores.js";
import type { UpkeepOrder, UpkeepReport } from "./state-upkeep-worker.js";

/** Checks and collects in a thread for each, with a connection of its own; one at a time. */
export class SqliteStateUpkeep implements StateUpkeep {
  readonly #directory: string;
  readonly #graceMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(directory: string, graceMs: number = GRACE_MS) {
    this.#directory = directory;
    this.#graceMs = graceMs;
  }

  async check(orgId: string): Promise<readonly Fault[]> {
    const report = await this.#run(orgId, "check");
    return report?.kind === "checked" ? report.faults : [];
  }

  async collect(orgId: string): Promise<Collection> {
    const report = await this.#run(orgId, "collect");
    return report?.kind === "collected" ? report.collection : { kept: 0, deleted: 0 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#last;
  }

  /** Runs an order after those before it. @returns undefined when there is nothing to look after. */
  async #run(orgId: string, task: UpkeepOrder["task"]): Promise<UpkeepReport | undefined> {
    const path = stateFile(this.#directory, orgId);
    const report = this.#last.then(async () => {
      if (this.#closed) throw new AppError("STORE_UNAVAILABLE", "The server is stopping");
      return existsSync(path) ? await inThread({ path, task, graceMs: this.#graceMs }) : undefined;
    });
    this.#last = report.catch(() => undefined);
    return report;
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
