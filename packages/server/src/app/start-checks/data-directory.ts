import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { failureReason } from "../../storage/failure-reason.js";
import { assertPrivate } from "../../storage/private-files.js";
import { fail, ok, reasonOf, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/** Number of measured syncs. */
const SYNCS = 5;
/** Time in ms from which a sync counts as slow, because every commit waits for one. */
const SLOW_SYNC_MS = 20;
/** Written before each sync: a page of SQLite. */
const PAGE = Buffer.alloc(4096);
/** Free space in bytes from which on a disk counts as almost full. */
const FREE_BYTES_MIN = 1024 ** 3;

/** Checks that files in the data directory can be written, by this user only. */
export function checkDataDirectory(dataDir: string): Finding {
  const name = "data dir";
  const problem = unwritable(dataDir);
  if (problem !== undefined) {
    const fix = `${problem.fix}, or choose another directory with --data-dir or SERVICE_DATA_DIR`;
    return fail(name, problem.found, fix);
  }
  try {
    assertPrivate(dataDir);
  } catch (error) {
    return fail(name, reasonOf(error), `run chmod 700 ${dataDir}`);
  }
  const note = existsSync(dataDir) ? "is writable" : "does not exist yet and can be created";
  return ok(name, `${dataDir} ${note}`);
}

/** Measures the disk under a directory that can be written to, or created. */
export function checkDisk(directory: string): readonly Finding[] {
  const place = nearestExisting(resolve(directory));
  const scratch = mkdtempSync(join(place, ".steward-doctor-"));
  try {
    return [checkSync(join(scratch, "sync")), checkSpace(place)];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Why files cannot be created in a directory, or the directory itself; it is not created. */
export function unwritable(
  directory: string,
): { readonly found: string; readonly fix: string } | undefined {
  const place = nearestExisting(resolve(directory));
  try {
    rmSync(mkdtempSync(join(place, ".steward-doctor-")), { recursive: true });
    return undefined;
  } catch (error) {
    const found = `${directory} cannot be written: ${reasonOf(error)}`;
    return { found, fix: failureReason(error, directory) ?? `make ${place} a writable directory` };
  }
}

function checkSpace(place: string): Finding {
  const { bavail, bsize } = statfsSync(place);
  const freeBytes = bavail * bsize;
  const found = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB are free`;
  if (freeBytes >= FREE_BYTES_MIN) return ok("disk", found);
  return warn("disk", `${found} under ${place}`, "free space there: writes fail on a full disk");
}

function checkSync(file: string): Finding {
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
