import { ORG_WAITING_MAX } from "../limits.js";
import { StatementError } from "../../plans/ports.js";

/** The error of a statement whose wait in the queue exceeded its limit. */
export function waitedTooLong(waitMs: number): StatementError {
  const message = `The data source is busy: the statement waited ${waitMs} ms and was not run; try again`;
  return new StatementError("waited", message);
}

/** The error of a statement that found the queue full. */
export function tooManyWait(): StatementError {
  const message = `Your organization has ${ORG_WAITING_MAX} statements waiting for the data source: this one was not run; try again when some have ended`;
  return new StatementError("waited", message);
}
