import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { AppError } from "@steward/kernel/errors.js";

/** Mode of a file with read and write access for its owner only. */
export const PRIVATE_FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** All rights of the group and of others. */
const OTHERS = 0o077;

/** Creates a directory and its missing parents, with access for the owner only. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
}

/**
 * Creates an empty file with access for its owner only, unless it exists. SQLite gives its other
 * files the same mode.
 * @throws AppError `INVALID_ARGUMENT` like {@link assertPrivate}.
 */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) assertPrivate(path);
  else closeSync(openSync(path, "a", PRIVATE_FILE_MODE));
}

/** Removes all rights of others on a file. */
export function closeToOthers(path: string): void {
  chmodSync(path, PRIVATE_FILE_MODE);
}

/**
 * Ensures that only the owner can read a file or directory. A missing path counts as private.
 * @throws AppError `INVALID_ARGUMENT` with the command that corrects the mode.
 */
export function assertPrivate(path: string): void {
  if (!existsSync(path) || process.platform === "win32") return;
  const stats = statSync(path);
  if ((stats.mode & OTHERS) === 0) return;
  const mode = (stats.mode & 0o777).toString(8);
  const wanted = (stats.isDirectory() ? DIRECTORY_MODE : PRIVATE_FILE_MODE).toString(8);
  throw new AppError(
    "INVALID_ARGUMENT",
    `Other users of this machine have rights on ${path} (mode ${mode}), which holds data of organizations: run chmod ${wanted} ${path}`,
  );
}
