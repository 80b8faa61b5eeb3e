import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Clock } from "@steward/kernel/clock.js";
import { SQL_GROWTH_BYTES_MAX } from "../../limits.js";
import {
  StatementError,
  type AttemptRef,
  type StatementPreview,
  type StatementResult,
} from "../../../plans/ports.js";
import type { RowsResult } from "../../sql-target/result-rows.js";
import { requireFewRows } from "../../sql-target/statement-limits.js";
import type { PreviewTask, WriteTask } from "../protocol.js";
import { AgentConnection } from "./agent-connection.js";
import { ChangeCapture } from "./change-capture.js";
import type { SchemaWatch } from "./schema-watch.js";
import { StepMarkers } from "./step-markers.js";

/** The size of the file: number and size of its pages. */
const PAGES =
  "SELECT page_count AS pages, page_size AS bytes FROM pragma_page_count, pragma_page_size";

/** Runs writes, each in one transaction with its marker, so that each takes effect once. */
export class WriteSession {
  readonly #db: DatabaseSyncInstance;
  readonly #agent: AgentConnection;
  readonly #markers: StepMarkers;
  readonly #schemaWatch: () => SchemaWatch;
  #capture: ChangeCapture | undefined;
  #isPurged = false;

  /** @param schemaWatch called before the first statement that may change the schema. */
  constructor(db: DatabaseSyncInstance, clock: Clock, schemaWatch: () => SchemaWatch) {
    this.#db = db;
    this.#schemaWatch = schemaWatch;
    this.#agent = new AgentConnection(db);
    this.#markers = new StepMarkers(db, clock);
  }

  /**
   * Runs a write. If an attempt of its step already took effect, returns the result of that
   * attempt.
   * @param forget attempts whose markers the same transaction deletes.
   * @param beforeCommit called right before COMMIT; an error rolls back.
   * @throws StatementError, with everything rolled back.
   */
  write(task: WriteTask, forget: readonly AttemptRef[], beforeCommit: () => void): StatementResult {
    // The schema is compared before anything else, because creating the marker table changes it.
    const begin = (): void => this.#agent.requireSchema(task.statement);
    const work = (): StatementResult => {
      const marker = this.#markers.find(task.attempt);
      if (marker?.outcome === "applied") return marker.result;
      if (marker !== undefined && marker.attempt >= task.attempt.attempt) throw givenUp();
      this.#tidy(forget);
      this.#limitGrowth();
      const result = this.#run(task);
      this.#markers.apply(task.attempt, result);
      return result;
    };
    return this.#transaction(work, { begin, beforeCommit });
  }

  /** The result of the step's write, or `undefined` after it has been prevented permanently. */
  settle(attempt: AttemptRef): StatementResult | undefined {
    return this.#transaction(() => {
      const marker = this.#markers.find(attempt);
      if (marker?.outcome === "applied") return marker.result;
      if (marker === undefined || marker.attempt < attempt.attempt) this.#markers.fence(attempt);
      return undefined;
    });
  }

  /** Deletes the results that writes of these plans have left. */
  deleteMarkers(orgId: string, planIds: readonly string[]): void {
    // A file without the table was never written to, and may not be writable.
    if (!this.#markers.hasTable()) return;
    this.#transaction(() => this.#markers.deleteOf(orgId, planIds));
  }

  /**
   * Runs a write, and rolls it back.
   * @throws StatementError, also with everything rolled back.
   */
  preview({ statement, limits, tables }: PreviewTask): StatementPreview {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      // As in a run: the statement must not be able to tell that it is previewed.
      this.#markers.ensureTable();
      this.#limitGrowth();
      this.#capture ??= new ChangeCapture(this.#db);
      const captured = this.#capture.begin(tables, statement.sql);
      const { changed } = this.#agent.runCounted(statement);
      requireFewRows(changed, limits);
      return { rowsChanged: changed.rows, ...captured.finish() };
    } finally {
      this.#capture?.end();
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  #run({ statement, limits }: WriteTask): StatementResult {
    const run = (): RowsResult => {
      const { result, changed } = this.#agent.runCounted(statement);
      requireFewRows(changed, limits);
      return result;
    };
    // Only a change of the schema can change it; no other process can write during the transaction.
    if (statement.statementClass !== "admin") return { schemaDeltas: [], ...run() };
    const { result, schemaDeltas } = this.#schemaWatch()(this.#db, run);
    return { ...result, schemaDeltas };
  }

  /**
   * Limits the number of pages that one statement may add. No other process adds pages during the
   * transaction.
   */
  #limitGrowth(): void {
    // The query names these columns, and both are numbers.
    const size = this.#db.prepare(PAGES).get() as {
      readonly pages: number;
      readonly bytes: number;
    };
    const pagesMax = size.pages + Math.ceil(SQL_GROWTH_BYTES_MAX / size.bytes);
    this.#db.exec(`PRAGMA max_page_count = ${pagesMax}`);
  }

  #tidy(forget: readonly AttemptRef[]): void {
    this.#markers.forget(forget);
    if (this.#isPurged) return;
    this.#markers.purge();
    this.#isPurged = true;
  }

  #transaction<Result>(
    work: () => Result,
    {
      begin,
      beforeCommit,
    }: { readonly begin?: () => void; readonly beforeCommit?: () => void } = {},
  ): Result {
    // IMMEDIATE: from here on no other process can write, so a marker that was read stays valid.
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      begin?.();
      this.#markers.ensureTable();
      const result = work();
      beforeCommit?.();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      // Some errors have already rolled back the transaction.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }
}

function givenUp(): StatementError {
  return new StatementError("rolled_back", "This attempt was abandoned before it took effect");
}
