import { readdirSync, readlinkSync, statSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { type ChildSettings, LIMIT_SIGNALS } from "../protocol.js";

/** How often the process is looked at, in ms: in that time a statement can take some hundred MB. */
const CHECK_EVERY_MS = 50;
/** The process's open files, on Linux: SQLite removes a temporary file's name as soon as it has opened it. */
const OPEN_FILES = "/proc/self/fd";
/** What SQLite calls its temporary files. */
const TEMPORARY_NAME = /\/etilqs_/;

const { parentPid, memoryBytesMax, temporaryBytesMax } = workerData as ChildSettings;

/**
 * Ends this process when its parent is gone, and when a statement takes more memory or temporary space than it may,
 * even in the middle of it: SQLite has no limits of its own for either.
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
    // Not Linux.
    return [];
  }
}

function temporaryBytesOf(file: string): number {
  try {
    return TEMPORARY_NAME.test(readlinkSync(file)) ? statSync(file).size : 0;
  } catch {
    // Closed in the meantime.
    return 0;
  }
}
