import { isReadIntent, type SqlAnalyzer, type StatementReader } from "../../governance/index.js";
import { assert } from "../../kernel/assert.js";
import {
  ROWS_CHANGED_MAX,
  SQLITE_READERS_MAX,
  SQL_MEMORY_BYTES_MAX,
  SQL_TEMPORARY_BYTES_MAX,
} from "../../kernel/limits.js";
import type { Log } from "../../kernel/log.js";
import {
  StatementError,
  type AttemptRef,
  type SqlTarget,
  type StatementRequest,
  type StatementResult,
} from "../../plans/ports.js";
import { Admission } from "../admission.js";
import { RunningStatements } from "../running-statements.js";
import type { AdmittedStatement } from "./protocol.js";
import { ReaderPool } from "./reader-pool.js";
import { Writer } from "./writer.js";

/** Where a data source is and what it is called. */
export interface SqliteTargetOptions {
  readonly name: string;
  /** An existing SQLite database file. */
  readonly path: string;
  readonly analyzer: SqlAnalyzer;
  /** Reads long statements; absent: the analyzer does. */
  readonly reader?: StatementReader | undefined;
  readonly log: Log;
  /** Processes that read at the same time. */
  readonly readersMax?: number | undefined;
  /** Rows that one write may change. */
  readonly rowsChangedMax?: number;
  /** Where SQLite puts its temporary files; absent: where it wants. */
  readonly temporaryDirectory?: string;
  /** Resident memory of each process, in bytes. */
  readonly memoryBytesMax?: number;
  /** Bytes of each process's temporary files. */
  readonly temporaryBytesMax?: number;
}

/**
 * A SQLite database that agents work on. Statements run in processes of their own, so that one
 * without end can be stopped: reads in a few that can only read, writes one after the other in one.
 */
export class SqliteTarget implements SqlTarget {
  readonly name: string;
  readonly dialect = "sqlite";
  readonly #admission: Admission;
  readonly #readers: ReaderPool;
  readonly #writer: Writer;
  readonly #rowsChangedMax: number;
  readonly #running = new RunningStatements();

  constructor(options: SqliteTargetOptions) {
    this.name = options.name;
    this.#admission = new Admission(options.analyzer, "sqlite", options.reader);
    const { path, temporaryDirectory } = options;
    const launch = {
      path,
      temporaryDirectory,
      memoryBytesMax: options.memoryBytesMax ?? SQL_MEMORY_BYTES_MAX,
      temporaryBytesMax: options.temporaryBytesMax ?? SQL_TEMPORARY_BYTES_MAX,
      log: options.log.child({ dataSource: options.name }),
    };
    this.#rowsChangedMax = options.rowsChangedMax ?? ROWS_CHANGED_MAX;
    const readersMax = options.readersMax ?? SQLITE_READERS_MAX;
    this.#readers = new ReaderPool({ role: "reader", ...launch }, readersMax);
    this.#writer = new Writer({ role: "writer", ...launch });
  }

  async run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult> {
    this.#running.requireOpen(signal);
    const { sql, binds, intent, attempt, timeoutMs, waitMs, rowsChangedMax } = request;
    const rowsMax = Math.min(rowsChangedMax ?? Infinity, this.#rowsChangedMax);
    const admitted = this.#admission.admit(sql, intent);
    const { statementClass, tables } = admitted instanceof Promise ? await admitted : admitted;
    // It may have been closed while a long statement was read.
    this.#running.requireOpen(signal);
    const statement: AdmittedStatement = { sql, binds, intent, statementClass, tables };
    const limits = { waitMs, timeoutMs, signal };
    const running = isReadIntent(intent)
      ? this.#readers.read(statement, attempt.orgId, limits)
      : this.#writer.write({ statement, attempt, rowsMax }, limits);
    const result = await this.#running.track(running).catch((error: unknown) => {
      throw error instanceof StatementError ? this.#admission.withAdvice(error, sql) : error;
    });
    assert(result !== undefined, "a statement that ran has a result");
    return result;
  }

  settle(attempt: AttemptRef): Promise<StatementResult | undefined> {
    return this.#writer.settle(attempt);
  }

  forget(attempt: AttemptRef): void {
    this.#writer.forget(attempt);
  }

  /** Waits a while for what runs, then ends the processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.drain();
    await Promise.all([this.#readers.close(), this.#writer.close()]);
  }
}
