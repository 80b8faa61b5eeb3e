import { ORG_WAITING_MAX } from "../kernel/limits.js";
import { StatementError } from "../plans/ports.js";

/** What a statement ends with whose turn did not come in time. */
export function waitedTooLong(waitMs: number): StatementError {
  const message = `The data source is busy: after ${waitMs} ms the statement had not begun, and it was not run`;
  return new StatementError("waited", message);
}

/** What a statement ends with that nobody lets wait any more. */
export function tooManyWait(): StatementError {
  const message = `Your organization has ${ORG_WAITING_MAX} statements waiting for the data source: this one was not run`;
  return new StatementError("waited", message);
}
