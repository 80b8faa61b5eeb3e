import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/**
 * Loaded before anything else in every thread of a process that is to die: kills it once a number of statements
 * have been carried out, as the driver says right after each. Only statements that write to a file count: a death
 * after one that reads is the same as one before it.
 */
const SHARED = "steward-death";
/** How long a migration stands still once it holds the lock, where it is to be slow. */
const PAUSE_MS = 40;
const STDOUT = 1;
/** Places in the shared memory: statements left to live, and whether to be slow. */
const [LEFT, IS_SLOW] = [0, 1];
/** Left to live before anybody is to die. */
const FOREVER = -1;

if (isMainThread) {
  setEnvironmentData(SHARED, new Int32Array(new SharedArrayBuffer(8)).fill(FOREVER));
}
// Set by the main thread before it starts any other.
const shared = getEnvironmentData(SHARED) as Int32Array;

/** From now on, the process dies after as many statements. */
export function dieAfter(statements: number, isSlow: boolean): void {
  Atomics.store(shared, IS_SLOW, isSlow ? 1 : 0);
  if (statements === 0) die("the first statement");
  Atomics.store(shared, LEFT, statements);
}

function die(after: string): void {
  writeSync(STDOUT, `${JSON.stringify({ diedAfter: after })}\n`);
  process.kill(process.pid, "SIGKILL");
}

subscribe("sqlite.db.query", (message) => {
  // As the driver documents it.
  const { sql, database } = message as { sql: string; database: DatabaseSyncInstance };
  if (/^\s*(SELECT|WITH|PRAGMA)\b/i.test(sql) || database.location() === null) return;
  if (sql === "BEGIN IMMEDIATE" && !isMainThread) {
    writeSync(STDOUT, `${JSON.stringify({ begun: true })}\n`);
    if (Atomics.load(shared, IS_SLOW) === 1) Atomics.wait(shared, IS_SLOW, 1, PAUSE_MS);
  }
  if (Atomics.load(shared, LEFT) === FOREVER) return;
  if (Atomics.sub(shared, LEFT, 1) === 1) die(sql);
});
