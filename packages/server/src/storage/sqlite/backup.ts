import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import {
  completeParts,
  dropParts,
  LOG_SUFFIXES,
  reading,
  stateDirectoryOf,
  writeParts,
} from "./backup-parts.js";
import { closeToOthers, makePrivateDirectory } from "../private-files.js";
import { refuseOthers, schemaVersion } from "./migrate.js";
import { lockStore } from "./owner-lock.js";

/** Pages copied at a time before other work can run. */
const PAGES_AT_ONCE = 1000;

/** The files of a server without another database. */
export interface StorePlaces {
  /** The store's file. */
  readonly store: string;
  /** The directory with a file for each organization's state; it exists only if there is state. */
  readonly state: string;
}

/** The result of a backup or a restore. */
export interface StoreCopy {
  readonly path: string;
  readonly bytes: number;
  /** Version of the store's schema. */
  readonly schemaVersion: number;
  /** Number of organizations with state. */
  readonly states: number;
  /**
   * The directory with their states, which belongs to the file at `path`; absent when there are
   * none.
   */
  readonly statePath?: string;
}

/** Progress of copying a file, in pages. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Copies a store to a new file, and the state beside it to a directory with the suffix `.state`,
 * even while a server works on them. Each file of the copy is a checked snapshot of one moment. The
 * store's file lists the others, and it gets its name last, when all files are complete.
 * @throws AppError `INVALID_ARGUMENT` when there is no store or the target exists;
 * `STORE_UNAVAILABLE` when it cannot be copied or the copy is damaged.
 */
export async function backupStore(
  places: StorePlaces,
  target: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<StoreCopy> {
  const [states, copiedStates] = [statesOf(places.state), stateDirectoryOf(target)];
  assertExists(places.store, "store");
  assertAbsent(target);
  assertAbsent(copiedStates);
  makePrivateDirectory(states.length === 0 ? dirname(target) : copiedStates);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    for (const name of states) {
      const copy = join(copiedStates, name);
      await copyDatabase(join(places.state, name), copy, onProgress);
      checkDatabase(copy, "copy");
    }
    await copyDatabase(places.store, unfinished, onProgress);
    writeParts(unfinished, copiedStates, states);
    const version = checkStore(unfinished, "copy");
    settle(unfinished, target);
    return described({ store: target, state: copiedStates }, version, states.length);
  } catch (error) {
    rmSync(unfinished, { force: true });
    rmSync(copiedStates, { recursive: true, force: true });
    throw unavailable(`The store ${places.store} cannot be copied to ${target}`, error);
  }
}

/** A restored store, and the new path of the previous one. */
export interface Restored extends StoreCopy {
  /** Absent when there was none. */
  readonly former: string | undefined;
  /** Absent when there was none. */
  readonly formerState: string | undefined;
}

/**
 * Replaces a store that no server owns by a backup. An existing store is kept beside it under
 * another name, with its state, and only if `replace` is set.
 * @param nowMs becomes part of the previous store's name.
 * @throws AppError `INVALID_ARGUMENT` when there is no backup, a part of it is missing, or a store
 * exists and `replace` is false; `STORE_UNAVAILABLE` when a server owns the store or the backup is
 * damaged; nothing is changed then.
 */
export function restoreStore(
  file: string,
  places: StorePlaces,
  { replace, nowMs }: { readonly replace: boolean; readonly nowMs: number },
): Restored {
  const { store, state } = places;
  assertExists(file, "backup");
  if (!replace) [store, state].forEach(assertReplaced);
  makePrivateDirectory(dirname(store));
  makePrivateDirectory(dirname(state));
  using _lock = lockStore(store);
  const unfinished = { store: `${store}.unfinished`, state: `${state}.unfinished` };
  try {
    const { version, states } = takeCopies(file, unfinished);
    const former = existsSync(store) ? `${store}.before-${fileTime(nowMs)}` : undefined;
    if (former !== undefined) moveAside(store, former);
    const formerState = existsSync(state) ? `${state}.before-${fileTime(nowMs)}` : undefined;
    if (formerState !== undefined) renameSync(state, formerState);
    if (states > 0) settle(unfinished.state, state);
    settle(unfinished.store, store);
    return { ...described(places, version, states), former, formerState };
  } catch (error) {
    rmSync(unfinished.store, { force: true });
    rmSync(unfinished.state, { recursive: true, force: true });
    throw unavailable(`The store ${store} cannot be restored from ${file}`, error);
  }
}

/** Copies a backup to its target directory under temporary names, and checks it there. */
function takeCopies(
  file: string,
  to: StorePlaces,
): { readonly version: number; readonly states: number } {
  const copiedStates = stateDirectoryOf(file);
  copyPrivately(file, to.store);
  const version = checkStore(to.store, "backup");
  const parts = completeParts(to.store, copiedStates);
  if ("missing" in parts) {
    throw new AppError("INVALID_ARGUMENT", `The backup ${file} is not complete: ${parts.missing}`);
  }
  const { names } = parts;
  rmSync(to.state, { recursive: true, force: true });
  if (names.length > 0) makePrivateDirectory(to.state);
  for (const name of names) {
    copyPrivately(join(copiedStates, name), join(to.state, name));
    checkDatabase(join(to.state, name), "backup");
  }
  dropParts(to.store);
  checkStore(to.store, "backup");
  return { version, states: names.length };
}

/** A copy has the mode of its original, whose mode may have been opened to others. */
function copyPrivately(from: string, to: string): void {
  copyFileSync(from, to);
  closeToOthers(to);
}

async function copyDatabase(
  path: string,
  target: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    // The open read transaction fixes the snapshot, so later writes are not part of the backup.
    source.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    await backup(source, target, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ done: totalPages - remainingPages, total: totalPages });
      },
    });
  } finally {
    source.close();
  }
}

function described({ store, state }: StorePlaces, version: number, states: number): StoreCopy {
  return {
    path: store,
    bytes: statSync(store).size,
    schemaVersion: version,
    states,
    ...(states === 0 ? {} : { statePath: state }),
  };
}

/** The files of organizations' states, in a directory that may not exist. */
function statesOf(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => name.endsWith(".db"));
}

/** @returns the version of the store's schema. @throws AppError when it is not a complete store. */
function checkStore(path: string, what: string): number {
  const version = checkDatabase(path, what);
  if (version === 0) throw damaged(what, "it is not a store of steward");
  refuseOthers(version);
  return version;
}

/**
 * Reads a file completely. @returns the version of its schema.
 * @throws AppError `STORE_UNAVAILABLE` when it is damaged.
 */
function checkDatabase(path: string, what: string): number {
  return reading(path, (db) => {
    const found = db.prepare("PRAGMA integrity_check(1)").get() as { integrity_check: string };
    if (found.integrity_check !== "ok") throw damaged(what, found.integrity_check);
    return schemaVersion(db);
  });
}

/** The log's two files belong to their database and are moved with it. */
function moveAside(path: string, former: string): void {
  for (const suffix of [...LOG_SUFFIXES, ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, former + suffix);
  }
}

/** Syncs a file or directory to disk, renames it, and syncs the rename. */
function settle(from: string, to: string): void {
  if (statSync(from).isDirectory()) {
    for (const name of readdirSync(from)) sync(join(from, name), "r+");
    sync(from, "r");
  } else {
    sync(from, "r+");
  }
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

function assertReplaced(path: string): void {
  if (!existsSync(path)) return;
  const way = "--replace keeps it under another name and continues";
  throw new AppError("INVALID_ARGUMENT", `${path} exists already: ${way}`);
}

function assertAbsent(path: string): void {
  if (!existsSync(path)) return;
  throw new AppError("INVALID_ARGUMENT", `${path} exists already`);
}

function damaged(what: string, reason: string): AppError {
  return new AppError("STORE_UNAVAILABLE", `The ${what} cannot be used: ${reason}`);
}

function unavailable(message: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError("STORE_UNAVAILABLE", `${message}: ${reason}`, { cause: error });
}
