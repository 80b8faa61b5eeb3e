import { dirname } from "node:path";
import { AppError } from "@steward/kernel/errors.js";

/**
 * Why a file or an SQLite database refuses an operation, with the operator's remedy; `undefined`
 * when the error has no such cause.
 * @param error of node:fs or of SQLite.
 * @param path the file's.
 */
export function failureReason(error: unknown, path: string): string | undefined {
  switch (failureOf(error)) {
    case "full":
      return `the disk is full: free space in ${dirname(path)}`;
    case "read_only":
      return `${path} cannot be written to: correct the permissions or the mount`;
    case "failing":
      return `the disk of ${dirname(path)} fails: the system's log says why`;
    case "damaged":
      return `${path} is damaged: restore it from a backup`;
    case "foreign":
      return `${path} is not an SQLite database: name another file, or restore it from a backup`;
    case "unopened":
      return `${path} is not a file that can be opened: check the path, and that its directory exists`;
    case undefined:
      return undefined;
  }
}

/** A `STORE_UNAVAILABLE` error with the failed operation and, where known, the reason. */
export function storeUnavailable(what: string, error: unknown, path: string): AppError {
  const reason = failureReason(error, path);
  const message = reason === undefined ? what : `${what}: ${reason}`;
  return new AppError("STORE_UNAVAILABLE", message, { cause: error, retryAfterMs: 1000 });
}

type Failure = "full" | "read_only" | "failing" | "damaged" | "foreign" | "unopened";

function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  // Both kinds of error have fields that their types do not declare.
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // The low byte is the primary result code; the other bits are details.
  if (typeof errcode === "number") return SQLITE_FAILURES.get(errcode & 0xff);
  return typeof code === "string" ? SYSTEM_FAILURES.get(code) : undefined;
}

/** Reasons by SQLite's primary result code (sqlite.org/rescode.html). */
const SQLITE_FAILURES: ReadonlyMap<number, Failure> = new Map([
  [8, "read_only"],
  [10, "failing"],
  [11, "damaged"],
  [13, "full"],
  [14, "unopened"],
  [26, "foreign"],
]);

/** Reasons by the name of the system error. */
const SYSTEM_FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read_only"],
  ["EACCES", "read_only"],
  ["EPERM", "read_only"],
  ["EIO", "failing"],
]);
