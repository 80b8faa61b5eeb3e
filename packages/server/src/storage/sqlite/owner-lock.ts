import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { storeUnavailable } from "../failure-reason.js";

/** Another process owns the store. */
export class StoreOwned extends AppError {}

/** SQLite's result code for a lock held by another connection. */
const SQLITE_BUSY = 5;

/**
 * Makes this process the only owner of a store while the returned lock is open. It is a lock of the
 * operating system on an SQLite file beside the store, so it disappears with the process, however
 * the process ends.
 * @throws StoreOwned when another process owns the store; AppError `STORE_UNAVAILABLE` when it
 * cannot be opened.
 */
export function lockStore(path: string): Disposable {
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(`${path}-owner`);
    // WAL mode would not exclude other processes. The file contains nothing, so its durability is
    // irrelevant.
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    db?.close();
    if (!isBusy(error)) {
      throw storeUnavailable(`The store ${path} cannot be opened`, error, path);
    }
    throw new StoreOwned(
      "STORE_UNAVAILABLE",
      `Another process owns the store ${path}: stop that process, or give this one its own ` +
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

/** Whether another connection holds the lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
