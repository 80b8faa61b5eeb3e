import { isReadIntent, type SqlAnalyzer, type StatementReader } from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { ROWS_CHANGED_MAX } from "../../plans/limits.js";
import {
  PREVIEW_MS_MAX,
  SQLITE_READERS_MAX,
  SQL_MEMORY_BYTES_MAX,
  SQL_TEMPORARY_BYTES_MAX,
} from "../limits.js";
import type { Log } from "@steward/kernel/log.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import {
  StatementError,
  type AttemptRef,
  type DescribedStatement,
  type SqlTarget,
  type StatementPreview,
  type StatementRequest,
  type StatementResult,
  type StatementToDescribe,
  type StatementToPreview,
} from "../../plans/ports.js";
import { Admission } from "../sql-target/admission.js";
import { requirePreview } from "../sql-target/previewed-statements.js";
import { limitsOf, type RowLimits } from "../sql-target/statement-limits.js";
import { RunningStatements } from "../sql-target/running-statements.js";
import { SCHEMA_CHANGED, type AdmittedStatement, type StatementDescription } from "./protocol.js";
import { ReaderPool } from "./reader-pool.js";
import { Writer } from "./writer.js";

/** A statement for which the policies depend on the data it touches. */
type PermittedRequest = StatementRequest & {
  readonly permit: NonNullable<StatementRequest["permit"]>;
};

/** Number of cached descriptions. */
const DESCRIPTIONS_KEPT_MAX = 1000;
/** Length of the longest statement whose description is cached, in characters. */
const KEPT_LENGTH_MAX = 4096;
/** How often a statement is described again when the schema has changed meanwhile. */
const DESCRIBED_AGAIN_MAX = 3;

/** Options of a data source. */
export interface SqliteTargetOptions {
  readonly name: string;
  /** An existing SQLite database file. */
  readonly path: string;
  readonly analyzer: SqlAnalyzer;
  /** Analyzes long statements; absent: the analyzer does. */
  readonly reader?: StatementReader | undefined;
  readonly log: Log;
  /** Maximum number of processes for reads. */
  readonly readersMax?: number | undefined;
  /** Rows that one write may change. */
  readonly rowsChangedMax?: number;
  /** Whether writes may be previewed; absent: true. */
  readonly previews?: boolean | undefined;
  /** Directory of SQLite's temporary files; absent: SQLite's default. */
  readonly temporaryDirectory?: string;
  /** Maximum resident memory of each process, in bytes. */
  readonly memoryBytesMax?: number;
  /** Maximum size of each process's temporary files, in bytes. */
  readonly temporaryBytesMax?: number;
}

/**
 * A SQLite database that agents work on. Statements run in separate processes, so that endless ones
 * can be stopped: reads in a few read-only processes, writes one after the other in a single
 * process.
 */
export class SqliteTarget implements SqlTarget {
  readonly name: string;
  readonly dialect = "sqlite";
  readonly #admission: Admission;
  readonly #readers: ReaderPool;
  readonly #writer: Writer;
  readonly #rowsChangedMax: number;
  readonly #previews: boolean;
  readonly #running = new RunningStatements();
  /**
   * By intent and text. Each is valid for one version of the schema, which is checked when the
   * statement runs.
   */
  readonly #descriptions = new RecentMap<StatementDescription>(DESCRIPTIONS_KEPT_MAX);

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
    this.#previews = options.previews ?? true;
    const readersMax = options.readersMax ?? SQLITE_READERS_MAX;
    this.#readers = new ReaderPool({ role: "reader", ...launch }, readersMax);
    this.#writer = new Writer({ role: "writer", ...launch });
  }

  async run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult> {
    this.#running.requireOpen(signal);
    const { sql, binds, intent } = request;
    const { orgId } = request.attempt;
    const admitted = this.#admission.admit(sql, intent, orgId);
    const known = admitted instanceof Promise ? await admitted : admitted;
    // It may have been closed while a long statement was analyzed.
    this.#running.requireOpen(signal);
    const { statementClass, tables, insertedColumns } = known;
    const statement = { sql, binds, intent, statementClass, tables, insertedColumns };
    const running =
      request.permit === undefined
        ? this.#run(statement, request, signal)
        : this.#runPermitted(statement, { ...request, permit: request.permit }, signal);
    try {
      return await this.#running.track(running);
    } catch (error) {
      return this.#thrown(error, sql, orgId);
    }
  }

  async describe(
    { sql, intent, caller, waitMs, timeoutMs, forDecision }: StatementToDescribe,
    signal: AbortSignal,
  ): Promise<DescribedStatement> {
    this.#running.requireOpen(signal);
    const { statementClass, tables, insertedColumns } = await this.#admission.admit(
      sql,
      intent,
      caller.orgId,
    );
    this.#running.requireOpen(signal);
    const statement = { sql, binds: [], intent, statementClass, tables, insertedColumns };
    const limits = { waitMs, timeoutMs, signal };
    // The schema may have changed since a description was cached.
    if (forDecision?.mayBeKnown !== true) this.#descriptions.delete(keyOf(statement));
    const described = this.#running.track(this.#describe(statement, caller.orgId, limits));
    try {
      return { touched: (await described).touched };
    } catch (error) {
      return this.#thrown(error, sql, caller.orgId);
    }
  }

  async preview(
    { sql, binds, intent, caller, tables: shown, ...asked }: StatementToPreview,
    signal: AbortSignal,
  ): Promise<StatementPreview> {
    this.#running.requireOpen(signal);
    const known = await this.#admission.admit(sql, intent, caller.orgId);
    requirePreview(this.#previews, known);
    this.#running.requireOpen(signal);
    const { statementClass, tables, insertedColumns } = known;
    const statement = { sql, binds, intent, statementClass, tables, insertedColumns };
    const timeoutMs = Math.min(asked.timeoutMs, PREVIEW_MS_MAX);
    const limits = { waitMs: asked.waitMs, timeoutMs, signal };
    const task = { statement, limits: this.#rowLimits(asked), tables: shown };
    try {
      const answer = await this.#running.track(this.#writer.preview(task, caller.orgId, limits));
      assert(answer !== undefined, "a preview that ran has an answer");
      // The child writes it.
      return JSON.parse(answer.outputJson) as StatementPreview;
    } catch (error) {
      return this.#thrown(error, sql, caller.orgId);
    }
  }

  /** @throws always: the error, with advice on a statement that the engine refuses. */
  async #thrown(error: unknown, sql: string, orgId: string): Promise<never> {
    if (!(error instanceof StatementError)) throw error;
    throw await this.#admission.withAdvice(error, sql, orgId);
  }

  #run(
    statement: AdmittedStatement,
    request: StatementRequest,
    signal: AbortSignal,
  ): Promise<StatementResult> {
    const { intent, attempt, waitMs, timeoutMs } = request;
    const limits = { waitMs, timeoutMs, signal };
    const answer = isReadIntent(intent)
      ? this.#readers.ask({ kind: "read", statement }, attempt.orgId, limits)
      : this.#writer.write({ statement, attempt, limits: this.#rowLimits(request) }, limits);
    return answer.then(ran);
  }

  /** Runs a permitted statement under the schema version for which it was permitted. */
  async #runPermitted(
    statement: AdmittedStatement,
    request: PermittedRequest,
    signal: AbortSignal,
  ): Promise<StatementResult> {
    for (let again = DESCRIBED_AGAIN_MAX; ; again -= 1) {
      const { attempt, waitMs, timeoutMs } = request;
      const limits = { waitMs, timeoutMs, signal };
      const { touched, schemaVersion } = await this.#describe(statement, attempt.orgId, limits);
      const grant = await request.permit(touched);
      try {
        const held = { ...request, ...limitsOf(grant, request) };
        return await this.#run({ ...statement, schemaVersion }, held, signal);
      } catch (error) {
        const isOutdated = error instanceof StatementError && error.message === SCHEMA_CHANGED;
        if (!isOutdated || again === 0) throw error;
        this.#descriptions.delete(keyOf(statement));
      }
    }
  }

  #rowLimits({ rowsChangedMax, mayChangeUncounted }: Omit<RowLimits, "rowsMax">): RowLimits {
    return { rowsChangedMax, mayChangeUncounted, rowsMax: this.#rowsChangedMax };
  }

  async #describe(
    statement: AdmittedStatement,
    orgId: string,
    limits: Parameters<ReaderPool["ask"]>[2],
  ): Promise<StatementDescription> {
    const key = keyOf(statement);
    const known = this.#descriptions.get(key);
    if (known !== undefined) return known;
    const task = { kind: "describe", statement: { ...statement, binds: [] } } as const;
    const answer = await this.#readers.ask(task, orgId, limits);
    assert(answer !== undefined, "a statement that was described has a description");
    // The child writes it.
    const description = JSON.parse(answer.outputJson) as StatementDescription;
    return statement.sql.length > KEPT_LENGTH_MAX
      ? description
      : this.#descriptions.getOrMake(key, () => description);
  }

  settle(attempt: AttemptRef): Promise<StatementResult | undefined> {
    return this.#writer.settle(attempt);
  }

  forget(attempt: AttemptRef): void {
    this.#writer.forget(attempt);
  }

  deleteMarkers(orgId: string, planIds: readonly string[]): Promise<void> {
    return this.#running.track(this.#writer.deleteMarkers(orgId, planIds));
  }

  /** Waits a while for running statements, then ends the processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.drain();
    await Promise.all([this.#readers.close(), this.#writer.close()]);
  }
}

function ran(result: StatementResult | undefined): StatementResult {
  assert(result !== undefined, "a statement that ran has a result");
  return result;
}

function keyOf({ intent, sql }: AdmittedStatement): string {
  return `${intent} ${sql}`;
}
