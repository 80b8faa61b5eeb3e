import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { failureReason } from "../../storage/failure-reason.js";
import { fail, ok, reasonOf, warn } from "./check.js";
import type { Check } from "./check.js";

/** Number of measured syncs. */
const SYNCS = 5;
/** Time in ms from which a sync counts as slow, because every commit waits for one. */
const SLOW_SYNC_MS = 20;
/** Written before each sync: a page of SQLite. */
const PAGE = Buffer.alloc(4096);

/**
 * Checks that files in the data directory can be written and synced. The check removes its files.
 */
export function checkDataDirectory(dataDir: string): readonly Check[] {
  const place = nearestExisting(resolve(dataDir));
  let scratch: string;
  try {
    scratch = mkdtempSync(join(place, ".steward-doctor-"));
  } catch (error) {
    const found = `${dataDir} cannot be written: ${reasonOf(error)}`;
    const fix = failureReason(error, dataDir) ?? "make it writable";
    return [fail("data dir", found, `${fix}, or choose another with --data-dir`)];
  }
  try {
    const note = existsSync(dataDir) ? "is writable" : "does not exist yet and can be created";
    return [ok("data dir", `${dataDir} ${note}`), checkSync(join(scratch, "sync"))];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function checkSync(file: string): Check {
  try {
    const ms = medianSyncMs(file);
    const found = `writes a page durably in ${ms.toFixed(2)} ms`;
    if (ms <= SLOW_SYNC_MS) return ok("fsync", found);
    return warn(
      "fsync",
      `${found}: every commit takes that long`,
      "use a faster disk for the data",
    );
  } catch (error) {
    const fix =
      failureReason(error, dirname(file)) ??
      "use a file system that supports fsync: nothing is durable on this one";
    return fail("fsync", `fails: ${reasonOf(error)}`, fix);
  }
}

function medianSyncMs(file: string): number {
  const handle = openSync(file, "w");
  try {
    const times = Array.from({ length: SYNCS }, () => {
      writeSync(handle, PAGE);
      const startedAtMs = performance.now();
      fsyncSync(handle);
      return performance.now() - startedAtMs;
    });
    return times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0;
  } finally {
    closeSync(handle);
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
