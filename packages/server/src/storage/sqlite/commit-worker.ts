import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { assert } from "@steward/kernel/assert.js";
import { failureReason } from "../failure-reason.js";
import {
  JOINED_COMMIT,
  UnitUnpacker,
  type CommitReply,
  type CommitRequest,
  type PackedUnit,
  type UnitResult,
  type Write,
  type WriterOrder,
} from "./commit-protocol.js";
import { number } from "./column-values.js";
import { openConnection, StatementCache } from "./connection.js";

/** The thread that writes to the store, so that an fsync does not block the event loop. */
class Conflict extends Error {}

/**
 * Number of changes after which the write-ahead log is copied into the file. The thread starts the
 * checkpoint after it has answered, so that no caller waits for it, and frequently changed pages
 * are copied once for many commits.
 */
const CHECKPOINT_AFTER_WRITES = 4000;
/**
 * Size in pages at which the engine starts a checkpoint by itself, in case readers have prevented
 * the thread's own.
 */
const CHECKPOINT_AT_PAGES = 16_000;

/**
 * How long units of other threads wait for a commit of the owner, in ms: while steps run, there is one
 * in this time. They are derived from durable rows, and nobody's answer waits for them.
 */
const JOIN_MS = 5;

/** Number of changes after which the thread looks whether the file has too many free pages. */
const FREE_PAGES_AFTER_WRITES = 500;
/** Free pages that stay in the file, because the next rows need them soon; 4 MiB. */
const FREE_PAGES_KEPT = 2048;
/** The share of the file's pages that stay free. */
const FREE_SHARE_KEPT = 0.1;
/** Free pages given back with one commit, which takes less than a millisecond longer. */
const FREE_PAGES_AT_ONCE = 32;

const { path } = workerData as { readonly path: string };
const db = openConnection(path, false);
db.exec(`PRAGMA wal_autocheckpoint = ${String(CHECKPOINT_AT_PAGES)}`);
const statements = new StatementCache(db);
const unpacker = new UnitUnpacker();
let writes = 0;
let writesSinceLook = 0;
/** Free pages to give back to the file system. */
let pagesToFree = 0;
const port = parentPort;
assert(port !== null, "the commit worker runs in a worker thread");
/** The statements of a unit, one by one. */
type Unit = Iterable<Write>;

/** A unit of another thread, which waits for a commit to join. */
interface JoinedUnit {
  readonly unit: Unit;
  readonly port: MessagePort;
}

const joined: JoinedUnit[] = [];
const joinedPorts: MessagePort[] = [];
let joinTimer: NodeJS.Timeout | undefined;

port.on("message", (request: CommitRequest | WriterOrder) => {
  if (request === "close") close();
  else if (request === "truncate") answer([truncate()]);
  else if ("connected" in request) connect(request.connected);
  else commitWithJoined(unitsOf(request, unpacker));
});

function close(): void {
  if (joined.length > 0) commitJoined();
  for (const other of joinedPorts) other.close();
  db.close();
  port?.close();
}

function answer(results: readonly UnitResult[]): void {
  const reply: CommitReply = { results };
  port?.postMessage(reply);
}

function connect(other: MessagePort): void {
  joinedPorts.push(other);
  const texts = new UnitUnpacker();
  other.on("message", (request: CommitRequest) => {
    for (const unit of unitsOf(request, texts)) joined.push({ unit, port: other });
    joinTimer ??= setTimeout(commitJoined, JOIN_MS);
  });
}

function commitJoined(): void {
  commitWithJoined([]);
  port?.postMessage(JOINED_COMMIT);
}

/** Commits the owner's units, and with them those of other threads that wait. */
function commitWithJoined(own: readonly Unit[]): void {
  clearTimeout(joinTimer);
  joinTimer = undefined;
  const others = joined.splice(0);
  const results = commit(db, [...own, ...others.map(({ unit }) => unit)]);
  if (own.length > 0) answer(results.slice(0, own.length));
  for (const [index, other] of others.entries()) {
    other.port.postMessage(results[own.length + index]);
  }
  if (writes >= CHECKPOINT_AFTER_WRITES) checkpoint();
}

function unitsOf({ newTexts, units }: CommitRequest, texts: UnitUnpacker): readonly Unit[] {
  texts.learn(newTexts);
  // A unit may be run a second time, apart from the others.
  return units.map((unit: PackedUnit) => ({ [Symbol.iterator]: () => texts.unpack(unit) }));
}

/** Copies the log into the file and empties it. */
function truncate(): UnitResult {
  try {
    const isBusy = number(statements.get("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"]) !== 0;
    return isBusy ? failed(new Error("the write-ahead log is being read")) : { kind: "committed" };
  } catch (error) {
    return failed(error);
  }
}

/**
 * On a full disk the log stays as it is: its content is durable, and the next checkpoint copies it.
 */
function checkpoint(): void {
  writes = 0;
  try {
    db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    if (failureReason(error, path) === undefined) throw error;
  }
}

/**
 * Gives back free pages at the end of the file, after deletions. It is part of a commit of the
 * writers, so that it needs no fsync of its own.
 */
function giveBackPages(connection: DatabaseSyncInstance): void {
  if (writesSinceLook >= FREE_PAGES_AFTER_WRITES) {
    writesSinceLook = 0;
    const free = countOf("freelist_count");
    const kept = Math.max(FREE_PAGES_KEPT, countOf("page_count") * FREE_SHARE_KEPT);
    pagesToFree = Math.max(0, Math.floor(free - kept));
  }
  if (pagesToFree === 0) return;
  pagesToFree = Math.max(0, pagesToFree - FREE_PAGES_AT_ONCE);
  connection.exec(`PRAGMA incremental_vacuum(${String(FREE_PAGES_AT_ONCE)})`);
}

function countOf(pragma: "freelist_count" | "page_count"): number {
  return number(statements.get(`PRAGMA ${pragma}`)?.[pragma]);
}

/**
 * Runs all units in one transaction; if any fails, runs them again with a savepoint around each.
 */
function commit(connection: DatabaseSyncInstance, units: readonly Unit[]): readonly UnitResult[] {
  return commitTogether(connection, units) ?? commitApart(connection, units);
}

function commitTogether(
  connection: DatabaseSyncInstance,
  units: readonly Unit[],
): readonly UnitResult[] | undefined {
  try {
    statements.run("BEGIN IMMEDIATE", []);
    for (const unit of units) apply(unit);
    giveBackPages(connection);
    statements.run("COMMIT", []);
    return units.map(() => ({ kind: "committed" }));
  } catch {
    // Running the units one by one determines which of them failed.
    rollBack(connection);
    return undefined;
  }
}

function commitApart(
  connection: DatabaseSyncInstance,
  units: readonly Unit[],
): readonly UnitResult[] {
  try {
    statements.run("BEGIN IMMEDIATE", []);
    const results = units.map((unit) => applyApart(connection, unit));
    statements.run("COMMIT", []);
    return results;
  } catch (error) {
    rollBack(connection);
    return units.map(() => failed(error));
  }
}

function applyApart(connection: DatabaseSyncInstance, unit: Unit): UnitResult {
  statements.run("SAVEPOINT unit", []);
  try {
    apply(unit);
    statements.run("RELEASE unit", []);
    return { kind: "committed" };
  } catch (error) {
    // On a full disk the engine itself rolls back the whole transaction with all savepoints.
    if (!connection.isTransaction) throw error;
    statements.run("ROLLBACK TO unit", []);
    statements.run("RELEASE unit", []);
    return error instanceof Conflict ? { kind: "conflict" } : failed(error);
  }
}

function apply(unit: Unit): void {
  for (const write of unit) {
    const changed = statements.run(write.sql, write.params);
    // A deletion may change hundreds of rows, which fill the log like as many statements.
    const rows = Math.max(changed, 1);
    writes += rows;
    writesSinceLook += rows;
    if (write.expect !== undefined && changed !== write.expect) throw new Conflict();
  }
}

function rollBack(connection: DatabaseSyncInstance): void {
  if (connection.isTransaction) statements.run("ROLLBACK", []);
}

function failed(error: unknown): UnitResult {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "failed", message, reason: failureReason(error, path) };
}
