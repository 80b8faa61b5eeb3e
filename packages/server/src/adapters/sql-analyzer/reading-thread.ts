import { Worker } from "node:worker_threads";
import type { Dialect, StatementAnalysis, StatementReader } from "../../governance/index.js";
import { STATEMENT_READING_MEBIBYTES, STATEMENT_READING_MS } from "../../kernel/limits.js";
import { RecentMap } from "../../kernel/recent-map.js";
import { rejected } from "./one-statement.js";
import type { ReadingReply, ReadingRequest } from "./reading-protocol.js";

/** Readings remembered: a statement that was submitted is read again when it runs. */
const READINGS_KEPT_MAX = 32;

/** Somebody who waits for a reading. */
interface Waiting {
  readonly resolve: (analysis: StatementAnalysis) => void;
  readonly timer: NodeJS.Timeout;
}

/** Reads long statements in a thread, which is started with the first one. One that takes too long ends with it. */
export class ReadingThread implements StatementReader, AsyncDisposable {
  readonly #readings = new RecentMap<Promise<StatementAnalysis>>(READINGS_KEPT_MAX);
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  read(sql: string, dialect: Dialect): Promise<StatementAnalysis> {
    return this.#readings.getOrMake(`${dialect} ${sql}`, () => this.#ask(sql, dialect));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #ask(sql: string, dialect: Dialect): Promise<StatementAnalysis> {
    this.#lastId += 1;
    const request: ReadingRequest = { id: this.#lastId, sql, dialect };
    return new Promise((resolve) => {
      const timer = setTimeout(() => void this.#end(), STATEMENT_READING_MS);
      this.#waiting.set(request.id, { resolve, timer });
      this.#liveWorker().postMessage(request);
    });
  }

  #liveWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL("./reading-worker.js", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: STATEMENT_READING_MEBIBYTES },
    });
    worker.on("message", ({ id, analysis }: ReadingReply) => this.#settle(id, analysis));
    const onEnd = (): void => {
      if (this.#worker === worker) this.#refuseAll();
    };
    worker.once("error", onEnd).once("exit", onEnd);
    // It must not keep a process alive that has nothing else to do.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#refuseAll();
    await worker?.terminate();
  }

  #refuseAll(): void {
    this.#worker = undefined;
    for (const id of this.#waiting.keys()) {
      this.#settle(id, rejected("unparsable", "The statement is too large to be read: shorten it"));
    }
  }

  #settle(id: number, analysis: StatementAnalysis): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    waiting.resolve(analysis);
  }
}
