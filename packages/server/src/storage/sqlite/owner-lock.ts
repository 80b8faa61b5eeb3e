import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { storeUnavailable } from "../failure-reason.js";

/** SQLite's result code for a lock that another connection has. */
const SQLITE_BUSY = 5;

/**
 * Makes this process the only owner of a store, for as long as the returned lock is open. The lock
 * is the operating system's, held through an SQLite file beside the store, so that it is gone with
 * the process however that ends.
 * @throws AppError `STORE_UNAVAILABLE` when another process owns the store, or it cannot be opened.
 */
export function lockStore(path: string): Disposable {
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(`${path}-owner`);
    // WAL would let another process in; the file holds nothing, so how it is written is all the same.
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    db?.close();
    if (!isBusy(error)) {
      throw storeUnavailable(`The store ${path} cannot be opened`, error, path);
    }
    throw new AppError(
      "STORE_UNAVAILABLE",
      `Another process owns the store ${path}: stop it, or give this one its own ` +
        "SERVICE_DATABASE_URL (several processes share a PostgreSQL store, never an SQLite one)",
      { cause: error },
    );
  }
  const owned = db;
  return {
    [Symbol.dispose]: () => {
      owned.close();
    },
  };
}

/** Whether another connection has the lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
