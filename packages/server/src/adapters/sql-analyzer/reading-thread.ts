import type { Dialect, StatementAnalysis, StatementReader } from "../../governance/index.js";
import { STATEMENT_READING_MEBIBYTES, STATEMENT_READING_MS } from "../limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import { rejected } from "./one-statement.js";
import type { ReadingCalls } from "./reading-protocol.js";

/** Cached analyses. A submitted statement is analyzed again when it runs. */
const READINGS_KEPT_MAX = 32;

/**
 * Analyzes long statements in a thread, which is started for the first one. A statement that takes
 * too long terminates the thread.
 */
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
      // The parser crashed the thread or took too long, so the analysis is unknown.
      return rejected("unparsable", "The statement is too large to be analyzed: shorten it");
    }
  }

  #liveThread(): WorkerThread<ReadingCalls> {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new WorkerThread<ReadingCalls>({
      url: new URL("./reading-worker.js", import.meta.url),
      resourceLimits: { maxOldGenerationSizeMb: STATEMENT_READING_MEBIBYTES },
      // The thread must not keep an otherwise idle process alive.
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
