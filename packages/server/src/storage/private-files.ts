import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { AppError } from "@steward/kernel/errors.js";

/** What only the owner of a file may do with it. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** Every right of the group and of others. */
const OTHERS = 0o077;

/** Creates a directory, and those above it that are missing, for its owner alone. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
}

/**
 * Creates an empty file for its owner alone, unless there is one; SQLite gives its other files the same mode.
 * @throws AppError `INVALID_ARGUMENT` as {@link assertPrivate} does.
 */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) assertPrivate(path);
  else closeSync(openSync(path, "a", FILE_MODE));
}

/** Takes every right on a file from all but its owner. */
export function closeToOthers(path: string): void {
  chmodSync(path, FILE_MODE);
}

/**
 * Lets nobody but its owner read what is kept. A path where there is nothing yet is private.
 * @throws AppError `INVALID_ARGUMENT` with the command that mends it.
 */
export function assertPrivate(path: string): void {
  if (!existsSync(path) || process.platform === "win32") return;
  const stats = statSync(path);
  if ((stats.mode & OTHERS) === 0) return;
  const mode = (stats.mode & 0o777).toString(8);
  const wanted = (stats.isDirectory() ? DIRECTORY_MODE : FILE_MODE).toString(8);
  throw new AppError(
    "INVALID_ARGUMENT",
    `Other users of this machine have rights on ${path} (mode ${mode}), and data of organizations is kept there: run chmod ${wanted} ${path}`,
  );
}
