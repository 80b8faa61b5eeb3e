import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Log, LogFields } from "@steward/kernel/log.js";
import { silentLog } from "@steward/kernel/log.js";
import type { StatementRequest, StatementResult } from "../../../plans/ports.js";
import { SqliteAnalyzer } from "../../sql-analyzer/index.js";
import { runStatement } from "../../testing/run-statement.js";
import type { TargetFixture } from "../../testing/target-fixture.js";
import { SqliteTarget, type SqliteTargetOptions } from "../sqlite-target.js";

const SCHEMA = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE log (line TEXT NOT NULL);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Bo');
`;

/** An endless statement, with its rows where they are needed. */
export const ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)";
export const ENDLESS_READ: string = `${ENDLESS} SELECT max(i) FROM n`;
export const ENDLESS_WRITE: string = `INSERT INTO log ${ENDLESS} SELECT max(i) FROM n`;

/** A data source in a new folder, with its processes. */
export class Shop implements AsyncDisposable {
  readonly target: SqliteTarget;
  readonly path: string;
  /** Process ids of the children, in the order they were started. */
  readonly readerPids: number[] = [];
  readonly writerPids: number[] = [];
  readonly #folder: string;

  constructor(journalMode: "wal" | "delete" = "wal", options: Partial<SqliteTargetOptions> = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), "shop-"));
    this.path = join(this.#folder, "shop.db");
    this.asOwner((db) => {
      db.exec(`PRAGMA journal_mode = ${journalMode}`);
      db.exec(SCHEMA);
    });
    this.target = new SqliteTarget({
      name: "shop",
      path: this.path,
      analyzer: new SqliteAnalyzer(),
      log: this.#log(),
      ...options,
    });
  }

  /** Works on the file directly, like its owner. */
  asOwner<Result>(work: (db: DatabaseSyncInstance) => Result): Result {
    const db = new DatabaseSync(this.path, { timeout: 5000 });
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  lines(): readonly string[] {
    return this.asOwner((db) =>
      db
        .prepare("SELECT line FROM log")
        .all()
        .map((row) => row.line as string),
    );
  }

  run(
    sql: string,
    over?: Partial<StatementRequest>,
    signal?: AbortSignal,
  ): Promise<StatementResult> {
    return runStatement(this.target, sql, over, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.target[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }

  /** Only the log contains the processes' ids. */
  #log(): Log {
    const child = (fields: LogFields): Log => {
      const { role, pid } = fields;
      if (typeof pid === "number")
        (role === "reader" ? this.readerPids : this.writerPids).push(pid);
      return { ...silentLog, child };
    };
    return child({});
  }
}

/** The fixture for the tests of all data sources. */
export function openFixture(readersMax?: number): Promise<TargetFixture> {
  const shop = new Shop("wal", readersMax === undefined ? {} : { readersMax });
  return Promise.resolve({
    target: shop.target,
    parameter: (number: number) => `?${number}`,
    endlessRead: ENDLESS_READ,
    columnTypes: [],
    endlessWrite: ENDLESS_WRITE,
    lines: () => Promise.resolve(shop.lines()),
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  });
}
