import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { failureReason } from "../failure-reason.js";

/** A value of a row, or one bound to a statement. */
export type SqliteValue = string | number | bigint | Uint8Array | null;

/** One row, by column. */
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/**
 * Page size of a new store, in bytes. A commit writes every changed page as a whole, and a step
 * changes a few rows in many pages: with 4096 bytes it writes 64 % more at one plan and 42 % more
 * at sixteen, for the same processor time. On the other hand, a vector of 3 kB takes three pages,
 * and 2 µs more to read.
 */
const PAGE_BYTES = 2048;
/** How long a connection waits for another's lock, in ms; only checkpoints and backups hold one. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Size to which the write-ahead log is cut when it begins anew after a checkpoint, in bytes. One large
 * commit would otherwise leave a log of its size for ever. Between two checkpoints a log is normally
 * smaller, and is written over without being cut.
 */
export const LOG_BYTES_KEPT: number = 32 * 1024 * 1024;

/**
 * Opens the service's own store. `synchronous=FULL`: an acknowledged commit has reached the disk.
 * @param readOnly refuses writes on this connection; the file must exist.
 * @throws AppError `STORE_UNAVAILABLE` without a retry delay when the file is not a store, because
 * a retry does not help.
 */
export function openConnection(path: string, readOnly: boolean): DatabaseSyncInstance {
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(path);
    prepare(db, readOnly);
    return db;
  } catch (error) {
    db?.close();
    const reason = failureReason(error, path);
    if (reason === undefined) throw error;
    const message = `The store cannot be opened: ${reason}`;
    throw new AppError("STORE_UNAVAILABLE", message, { cause: error });
  }
}

function prepare(db: DatabaseSyncInstance, readOnly: boolean): void {
  db.exec(`PRAGMA busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
  // The page size only takes effect in a store without any page.
  if (!readOnly) db.exec(`PRAGMA page_size = ${String(PAGE_BYTES)}`);
  // Pages that deletions have freed can then be given back. Likewise only in a store without pages.
  if (!readOnly) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(`PRAGMA journal_size_limit = ${String(LOG_BYTES_KEPT)}`);
  db.exec("PRAGMA synchronous = FULL");
  db.exec("PRAGMA foreign_keys = ON");
  // What is deleted is overwritten, so that no copy of it stays in a free part of the file.
  if (!readOnly) db.exec("PRAGMA secure_delete = ON");
  if (readOnly) db.exec("PRAGMA query_only = ON");
}

/** Prepares each SQL text once. */
export class StatementCache {
  readonly #db: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  /** All rows of a query; the caller knows its columns. @throws AppError `STORE_UNAVAILABLE`. */
  all<Row extends object = SqliteRow>(
    sql: string,
    ...params: readonly SqliteValue[]
  ): readonly Row[] {
    return orUnavailable(() => this.#prepare(sql).all(...params) as Row[]);
  }

  /** The rows of a query one by one, like {@link all}. @throws AppError `STORE_UNAVAILABLE`. */
  *iterate<Row extends object = SqliteRow>(
    sql: string,
    ...params: readonly SqliteValue[]
  ): Generator<Row> {
    try {
      // The caller knows the columns.
      yield* this.#prepare(sql).iterate(...params) as IterableIterator<Row>;
    } catch (error) {
      throw storeUnreadable(error);
    }
  }

  /** The first row of a query, like {@link all}. @throws AppError `STORE_UNAVAILABLE`. */
  get<Row extends object = SqliteRow>(
    sql: string,
    ...params: readonly SqliteValue[]
  ): Row | undefined {
    return orUnavailable(() => this.#prepare(sql).get(...params) as Row | undefined);
  }

  /** Runs a write. @returns how many rows it changed. */
  run(sql: string, params: readonly SqliteValue[]): number {
    return this.#prepare(sql).run(...params).changes;
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function orUnavailable<T>(query: () => T): T {
  try {
    return query();
  } catch (error) {
    throw storeUnreadable(error);
  }
}

/** The error of a read that the engine has refused. */
export function storeUnreadable(cause: unknown): AppError {
  return new AppError("STORE_UNAVAILABLE", "The store cannot be read now", {
    cause,
    retryAfterMs: 1000,
  });
}

/** The result of a query as a promise; an error becomes a rejection. */
export function read<T>(query: () => T): Promise<T> {
  return Promise.resolve().then(query);
}
