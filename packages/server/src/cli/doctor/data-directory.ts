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

/** Times the disk is asked to make something durable. */
const SYNCS = 5;
/** A sync slower than this, in ms, is what every commit will wait for. */
const SLOW_SYNC_MS = 20;
/** What is written before each sync: a page of SQLite. */
const PAGE = Buffer.alloc(4096);

/** Whether the data directory takes files and makes them durable. Leaves nothing behind. */
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
    const found = `makes a page durable in ${ms.toFixed(2)} ms`;
    if (ms <= SLOW_SYNC_MS) return ok("fsync", found);
    return warn(
      "fsync",
      `${found}: every commit waits that long`,
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
