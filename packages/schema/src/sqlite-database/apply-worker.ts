import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "@steward/kernel/errors.js";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import { stepsOf } from "../index.js";
import type { ApplyCalls, ApplyChecks, ApplyOrder } from "./apply-protocol.js";
import { isBusy, type ManagedFile, openManaged } from "./open-managed.js";
import { refuseChangedRows } from "./row-checks.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";

// The caller has checked that the migration may run.
const host = serveThread<ApplyCalls, ApplyChecks>({
  apply: async (order) => {
    try {
      await apply(order);
    } catch (error) {
      throw known(error);
    }
    return undefined;
  },
});

/** Passes on errors that the caller can handle; any other error means trouble with the file. */
function known(error: unknown): AppError {
  const { code, message, retryAfterMs } = AppError.from(error);
  const isKnown =
    code === "STEP_FAILED" ||
    code === "STATE_CONFLICT" ||
    code === "STORE_UNAVAILABLE" ||
    code === "APPROVAL_REQUIRED";
  return new AppError(isKnown ? code : "STORE_UNAVAILABLE", message, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: error,
  });
}

async function apply(order: ApplyOrder): Promise<void> {
  const db = openManaged(order.file);
  try {
    // The PRAGMA has no effect inside a transaction (SQLite, "Making Other Kinds Of Table Schema
    // Changes", step 1).
    db.exec("PRAGMA foreign_keys = OFF");
    db.exec("PRAGMA synchronous = FULL");
    run(order, db, "BEGIN IMMEDIATE");
    await inTransaction(order, db);
    // When COMMIT times out waiting for readers, its transaction stays open. Closing the connection
    // rolls it back.
    run(order, db, "COMMIT");
  } finally {
    db.close();
  }
}

async function inTransaction(order: ApplyOrder, db: DatabaseSyncInstance): Promise<void> {
  try {
    await host.call("before", introspectSqlite(db).objects);
    for (const step of order.script.flatMap(stepsOf)) {
      if (typeof step === "string") run(order, db, step);
      else if (!order.acceptDataLoss) refuseChangedRows(db, step);
    }
    refuseBrokenReferences(db);
    await host.call("after", introspectSqlite(db).objects);
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

function run({ file }: ApplyOrder, db: DatabaseSyncInstance, sql: string): void {
  try {
    db.exec(sql);
  } catch (error) {
    if (isBusy(error)) throw lockRefused(file, sql, error);
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new AppError("STEP_FAILED", `Nothing was changed: SQLite refuses ${sql}: ${reason}`);
  }
}

/**
 * The error for a lock time-out. A file has one writer at a time and, without WAL, readers block
 * COMMIT too.
 */
function lockRefused(file: ManagedFile, sql: string, cause: unknown): AppError {
  const who = sql === "COMMIT" ? "that reads it" : "that writes to it";
  return new AppError(
    "STATE_CONFLICT",
    `Nothing was changed: ${sql} waited ${String(file.lockMs)} ms for another connection to ${file.name} ${who}: ` +
      "end that transaction or wait for it, and run the migration again",
    { cause, retryAfterMs: 1000 },
  );
}

/** Refuses the commit when a row references a row that does not exist. */
function refuseBrokenReferences(db: DatabaseSyncInstance): void {
  const row = db.prepare("PRAGMA foreign_key_check").get() as
    { readonly table: string; readonly parent: string } | undefined;
  if (row === undefined) return;
  throw new AppError(
    "STEP_FAILED",
    `Nothing was changed: ${row.table} has rows whose foreign key matches no row of ${row.parent}`,
  );
}
