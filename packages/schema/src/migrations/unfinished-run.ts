import { AppError } from "@steward/kernel/errors.js";
import type { RunIdentity, UnfinishedRun } from "../ports.js";

/** The error for a caller who wants to migrate a database with an unfinished run. */
export function unfinishedError(database: string, run: UnfinishedRun): AppError {
  if (run.isUnderWay) {
    const what = `${wordOf(run)} migration ${run.migrationId} of ${database} is still running`;
    return new AppError("STATE_CONFLICT", `${what}: try again when it has ended`);
  }
  return new AppError("STATE_CONFLICT", `${sayRun(database, run)}. ${waysOut(run)}`);
}

/** How far a run came, and why it stopped. */
export function sayRun(database: string, run: UnfinishedRun): string {
  const { migrationId, unitsDone, unitCount, error } = run;
  const progress = `${String(unitsDone)} of its ${String(unitCount)} parts have taken effect`;
  const reason = error === undefined ? "its process ended" : error;
  return `${wordOf(run)} migration ${migrationId} of ${database} stopped before its end: ${progress} (${reason})`;
}

/** The commands that deal with an unfinished run. */
export function waysOut({ migrationId, purpose }: RunIdentity): string {
  const resume = `steward migrate-db resume ${migrationId}`;
  return purpose === "undo"
    ? `Remove the cause, then continue to undo it: ${resume}`
    : `Remove the cause and resume it (${resume}), or undo its changes ` +
        `(steward migrate-db undo ${migrationId})`;
}

function wordOf({ purpose, direction }: RunIdentity): string {
  if (purpose === "undo") return "Undoing";
  return direction === "up" ? "Applying" : "Reverting";
}
