import type { Dialect, StatementAnalysis, StatementReader } from "../../governance/index.js";
import { STATEMENT_READING_MEBIBYTES, STATEMENT_READING_MS } from "@steward/kernel/limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import { rejected } from "./one-statement.js";
import type { ReadingCalls } from "./reading-protocol.js";

/** Readings remembered: a statement that was submitted is read again when it runs. */
const READINGS_KEPT_MAX = 32;

/** Reads long statements in a thread, which is started with the first one. One that takes too long ends with it. */
export class ReadingThread implements StatementReader, AsyncDisposable {
  readonly #readings = new RecentMap<Promise<StatementAnalysis>>(READINGS_KEPT_MAX);
  #thread: WorkerThread<ReadingCalls> | undefined;

  read(sql: string, dialect: Dialect): Promise<StatementAnalysis> {
    return this.#readings.getOrMake(`${dialect} ${sql}`, () => this.#ask(sql, dialect));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate();
  }

  async #ask(sql: string, dialect: Dialect): Promise<StatementAnalysis> {
    try {
      const timeoutMs = STATEMENT_READING_MS;
      return await this.#liveThread().call("read", { sql, dialect }, { timeoutMs });
    } catch {
      // The parser ended the thread, or took too long: what it would say of the text is not known.
      return rejected("unparsable", "The statement is too large to be read: shorten it");
    }
  }

  #liveThread(): WorkerThread<ReadingCalls> {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new WorkerThread<ReadingCalls>({
      url: new URL("./reading-worker.js", import.meta.url),
      resourceLimits: { maxOldGenerationSizeMb: STATEMENT_READING_MEBIBYTES },
      // It must not keep a process alive that has nothing else to do.
      isBackground: true,
      handlers: {},
      goneError: (cause) => {
        if (this.#thread === thread) this.#thread = undefined;
        return cause ?? new Error("the thread has ended");
      },
    });
    this.#thread = thread;
    return thread;
  }
}
