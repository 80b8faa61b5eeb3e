import { readdirSync, readlinkSync, statSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { type ChildSettings, LIMIT_SIGNALS } from "../protocol.js";

/** Interval of the checks, in ms. A statement can allocate some hundred MB in that time. */
const CHECK_EVERY_MS = 50;
/**
 * The process's open files, on Linux. SQLite unlinks a temporary file as soon as it has opened it.
 */
const OPEN_FILES = "/proc/self/fd";
/** Name of SQLite's temporary files. */
const TEMPORARY_NAME = /\/etilqs_/;

const { parentPid, memoryBytesMax, temporaryBytesMax } = workerData as ChildSettings;

/**
 * Ends this process when its parent has died, or when a statement exceeds its limit of memory or
 * temporary files. SQLite has no such limits.
 */
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
  if (process.memoryUsage.rss() > memoryBytesMax) {
    process.kill(process.pid, LIMIT_SIGNALS.memory);
  } else if (temporaryBytes() > temporaryBytesMax) {
    process.kill(process.pid, LIMIT_SIGNALS.temporary);
  }
}, CHECK_EVERY_MS);

function temporaryBytes(): number {
  return openFiles().reduce((sum, file) => sum + temporaryBytesOf(`${OPEN_FILES}/${file}`), 0);
}

function openFiles(): readonly string[] {
  try {
    return readdirSync(OPEN_FILES);
  } catch {
    // Only Linux has this directory.
    return [];
  }
}

function temporaryBytesOf(file: string): number {
  try {
    return TEMPORARY_NAME.test(readlinkSync(file)) ? statSync(file).size : 0;
  } catch {
    // The file was closed meanwhile.
    return 0;
  }
}
