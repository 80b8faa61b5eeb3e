import { DatabaseSync } from "@photostructure/sqlite";
import { AppError } from "../../kernel/errors.js";

/**
 * Makes this process the only owner of a store, for as long as the returned lock is open. The lock
 * is the operating system's, held through an SQLite file beside the store, so that it is gone with
 * the process however that ends.
 * @throws AppError `STORE_UNAVAILABLE` when another process owns the store.
 */
export function lockStore(path: string): Disposable {
  const db = new DatabaseSync(`${path}-owner`);
  try {
    // WAL would let another process in; the file holds nothing, so how it is written is all the same.
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    throw new AppError(
      "STORE_UNAVAILABLE",
      `Another process owns the store ${path}: stop it, or give this one its own ` +
        "SERVICE_DATABASE_URL (several processes share a PostgreSQL store, never an SQLite one)",
      { cause: error },
    );
  }
  return {
    [Symbol.dispose]: () => {
      db.close();
    },
  };
}
