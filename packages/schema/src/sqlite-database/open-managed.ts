import { existsSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";

/** A file whose schema is managed. */
export interface ManagedFile {
  /** Name of the data source, for messages. */
  readonly name: string;
  readonly path: string;
  /** Lock time-out of a connection, in ms. */
  readonly lockMs: number;
}

/**
 * Opens an existing file.
 * @throws AppError `STORE_UNAVAILABLE`.
 */
export function openManaged({ name, path, lockMs }: ManagedFile): DatabaseSyncInstance {
  if (!existsSync(path)) throw unavailable(name);
  try {
    return new DatabaseSync(path, { timeout: lockMs, defensive: true, limits: { attach: 0 } });
  } catch (error) {
    throw unavailable(name, error);
  }
}

/**
 * SQLite's result code for a lock held by another connection. Extended result codes have it in
 * their low byte.
 */
const SQLITE_BUSY = 5;

/** Whether a statement failed because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return typeof error.errcode === "number" && (error.errcode & 0xff) === SQLITE_BUSY;
}

/** SQLite's result code for a file of another format. */
const SQLITE_NOTADB = 26;

/** The error for a file that is not an SQLite database; undefined for any other error. */
export function notADatabase({ name }: ManagedFile, error: unknown): AppError | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  if (error.errcode !== SQLITE_NOTADB) return undefined;
  return new AppError("STORE_UNAVAILABLE", `The file of ${name} is not an SQLite database`, {
    cause: error,
  });
}

function unavailable(name: string, cause?: unknown): AppError {
  return new AppError("STORE_UNAVAILABLE", `The database ${name} cannot be opened`, {
    ...(cause === undefined ? {} : { cause }),
    retryAfterMs: 1000,
  });
}
