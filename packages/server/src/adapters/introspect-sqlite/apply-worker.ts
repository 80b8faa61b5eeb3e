import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { assert } from "../../kernel/assert.js";
import { AppError } from "../../kernel/errors.js";
import { stepsOf } from "../../schema/index.js";
import type { ApplyAnswer, ApplyOrder, ApplyReport } from "./apply-protocol.js";
import { isBusy, openManaged } from "./open-managed.js";
import { refuseChangedRows } from "./row-checks.js";
import { introspectSqlite } from "../sqlite-catalog.js";

assert(parentPort !== null, "this runs in a thread of its own");
const port = parentPort;
// Started by SqliteSchemaDatabase, with what it promises there.
const { file, script, acceptDataLoss } = workerData as ApplyOrder;

try {
  await apply();
  say({ is: "done" });
} catch (error) {
  const { code, message, retryAfterMs } = AppError.from(error);
  const isKnown =
    code === "STEP_FAILED" ||
    code === "STATE_CONFLICT" ||
    code === "STORE_UNAVAILABLE" ||
    code === "APPROVAL_REQUIRED";
  say({ is: "failed", code: isKnown ? code : "STORE_UNAVAILABLE", message, retryAfterMs });
}
port.close();

async function apply(): Promise<void> {
  const db = openManaged(file);
  try {
    // Nothing inside a transaction (SQLite, "Making Other Kinds Of Table Schema Changes", step 1).
    db.exec("PRAGMA foreign_keys = OFF");
    db.exec("PRAGMA synchronous = FULL");
    run(db, "BEGIN IMMEDIATE");
    const isDone = await inTransaction(db);
    // A COMMIT that waited too long for readers leaves its transaction open, and closing rolls it back.
    run(db, isDone ? "COMMIT" : "ROLLBACK");
  } finally {
    db.close();
  }
}

async function inTransaction(db: DatabaseSyncInstance): Promise<boolean> {
  try {
    if (!(await isRight("before", db))) return false;
    for (const step of script.flatMap(stepsOf)) {
      if (typeof step === "string") run(db, step);
      else if (!acceptDataLoss) refuseChangedRows(db, step);
    }
    refuseBrokenReferences(db);
    return await isRight("after", db);
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

/** Shows the schema to whoever started this, and waits for the verdict. */
async function isRight(moment: "before" | "after", db: DatabaseSyncInstance): Promise<boolean> {
  say({ is: moment, objects: introspectSqlite(db).objects });
  const [answer] = (await once(port, "message")) as [ApplyAnswer];
  return answer === "go";
}

function say(report: ApplyReport): void {
  port.postMessage(report);
}

function run(db: DatabaseSyncInstance, sql: string): void {
  try {
    db.exec(sql);
  } catch (error) {
    if (isBusy(error)) throw lockRefused(sql, error);
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new AppError("STEP_FAILED", `Nothing was changed: SQLite refuses ${sql}: ${reason}`);
  }
}

/** A file has one writer at a time, and where it has no WAL, its readers hold up a COMMIT too. */
function lockRefused(sql: string, cause: unknown): AppError {
  const who = sql === "COMMIT" ? "that reads it" : "that writes to it";
  return new AppError(
    "STATE_CONFLICT",
    `Nothing was changed: ${sql} waited ${String(file.lockMs)} ms for another connection to ${file.name} ${who}: ` +
      "end that transaction or wait for it, and run the migration again",
    { cause, retryAfterMs: 1000 },
  );
}

/** The last step before the commit: no row may point to a row that is not there. */
function refuseBrokenReferences(db: DatabaseSyncInstance): void {
  const row = db.prepare("PRAGMA foreign_key_check").get() as
    { readonly table: string; readonly parent: string } | undefined;
  if (row === undefined) return;
  throw new AppError(
    "STEP_FAILED",
    `Nothing was changed: ${row.table} has rows that point to none of ${row.parent}`,
  );
}
