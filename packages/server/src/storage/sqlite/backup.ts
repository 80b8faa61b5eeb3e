import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "@photostructure/sqlite";
import { AppError } from "../../kernel/errors.js";
import { schemaVersion, SCHEMA_VERSION } from "./migrate.js";
import { lockStore } from "./owner-lock.js";

/** Pages copied at a time, between looks at who else wants to run. */
const PAGES_AT_ONCE = 1000;

/** What the files of a database's log are called behind its own name. */
const LOG_SUFFIXES = ["-wal", "-shm"] as const;

/** A store's file, as a whole. */
export interface StoreFile {
  readonly path: string;
  readonly bytes: number;
  /** How many migrations it has seen. */
  readonly schemaVersion: number;
}

/** How far a copy has come, in pages. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Copies a store to a new file, also while a server works on it: the copy is the store as it was at
 * one moment, checked, and there under its name only when it is whole.
 * @throws AppError `INVALID_ARGUMENT` when there is no store or the target exists; `STORE_UNAVAILABLE`
 * when it cannot be copied or the copy is damaged.
 */
export async function backupStore(
  path: string,
  target: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<StoreFile> {
  assertExists(path, "store");
  assertAbsent(target);
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    // The one moment: an open read keeps it, whatever is written meanwhile.
    source.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    await backup(source, unfinished, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ done: totalPages - remainingPages, total: totalPages });
      },
    });
    const copied = checkedFile(unfinished, "copy");
    settle(unfinished, target);
    return { ...copied, path: target };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw unavailable(`The store ${path} cannot be copied to ${target}`, error);
  } finally {
    source.close();
  }
}

/** A store put back, and where the one before it went. */
export interface Restored extends StoreFile {
  /** Absent when there was none. */
  readonly former: string | undefined;
}

/**
 * Puts a backup in the place of a store that no server owns. A store that is there already is kept
 * beside it under another name, and only when `replace` says so.
 * @param nowMs names the former store.
 * @throws AppError `INVALID_ARGUMENT` when there is no backup, or a store and `replace` is false;
 * `STORE_UNAVAILABLE` when a server owns the store or the backup is damaged; nothing is changed then.
 */
export function restoreStore(
  file: string,
  path: string,
  { replace, nowMs }: { readonly replace: boolean; readonly nowMs: number },
): Restored {
  assertExists(file, "backup");
  if (!replace) assertAbsent(path);
  mkdirSync(dirname(path), { recursive: true });
  using _lock = lockStore(path);
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    copyFileSync(file, unfinished);
    const restored = checkedFile(unfinished, "backup");
    const former = existsSync(path) ? `${path}.before-${fileTime(nowMs)}` : undefined;
    if (former !== undefined) moveAside(path, former);
    settle(unfinished, path);
    return { ...restored, path, former };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw unavailable(`The store ${path} cannot be restored from ${file}`, error);
  }
}

/** Reads a file from end to end. @throws AppError `STORE_UNAVAILABLE` when it is no whole store. */
function checkedFile(path: string, what: string): StoreFile {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const found = db.prepare("PRAGMA integrity_check(1)").get() as { integrity_check: string };
    if (found.integrity_check !== "ok") throw damaged(what, found.integrity_check);
    const version = schemaVersion(db);
    if (version === 0) throw damaged(what, "it is not a store of steward");
    if (version > SCHEMA_VERSION) throw damaged(what, "a newer version of steward wrote it");
    return { path, bytes: statSync(path).size, schemaVersion: version };
  } finally {
    db.close();
    // Reading has made them, and there is nothing in them.
    for (const suffix of LOG_SUFFIXES) rmSync(path + suffix, { force: true });
  }
}

/** The log's two files belong to their database and go where it goes. */
function moveAside(path: string, former: string): void {
  for (const suffix of [...LOG_SUFFIXES, ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, former + suffix);
  }
}

/** Gives a file its name once its bytes are on the disk, and has the name reach the disk too. */
function settle(from: string, to: string): void {
  sync(from, "r+");
  renameSync(from, to);
  sync(dirname(to), "r");
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function fileTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[:.]/g, "-");
}

function assertExists(path: string, what: string): void {
  if (existsSync(path)) return;
  throw new AppError("INVALID_ARGUMENT", `There is no ${what} at ${path}`);
}

function assertAbsent(path: string): void {
  if (!existsSync(path)) return;
  throw new AppError("INVALID_ARGUMENT", `${path} exists already`);
}

function damaged(what: string, reason: string): AppError {
  return new AppError("STORE_UNAVAILABLE", `The ${what} is of no use: ${reason}`);
}

function unavailable(message: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError("STORE_UNAVAILABLE", `${message}: ${reason}`, { cause: error });
}
