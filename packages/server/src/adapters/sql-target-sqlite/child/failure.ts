import { SQL_GROWTH_BYTES_MAX } from "../../limits.js";
import { StatementError } from "../../../plans/ports.js";
import { withoutValues } from "../../sql-target/bound-values.js";
import type { AdmittedStatement } from "../protocol.js";
import type { Catalog } from "./catalog.js";
import { BUSY_TIMEOUT_MS } from "./connection.js";
import { hintsFor } from "./hints.js";

/** Facts about an agent's failed statement. */
export interface FailureContext {
  readonly statement: AdmittedStatement;
  /** The operation that the guard refused, if any. */
  readonly denial: string | undefined;
  readonly catalog: Catalog;
}

/**
 * Converts an engine's error to the agent's error: the reason, its text without values, and what to
 * do.
 * @param context absent when no agent's statement caused the error, such as for a lock at COMMIT.
 * @throws the error itself when it is not the engine's.
 */
export function toStatementError(error: unknown, context?: FailureContext): StatementError {
  if (error instanceof StatementError) return error;
  if (!isEngineError(error)) throw error;
  if (context?.denial !== undefined) {
    return new StatementError("intent", context.denial, { cause: error });
  }
  const isRead = context?.statement.intent === "read_select";
  if (LOCKED.test(error.message)) {
    const waited = `the statement waited up to ${BUSY_TIMEOUT_MS / 1000} s and changed nothing`;
    const message = `Another process has locked the SQLite file of this data source (${error.message}): ${waited}; it needs no correction, run it again when that process has ended its transaction`;
    return new StatementError("rolled_back", message, { cause: error });
  }
  if (isRead && error.message === READ_ONLY) {
    const message = `The data source is busy (${error.message}); nothing was changed, try again`;
    return new StatementError("rolled_back", message, { cause: error });
  }
  if (error.message === FULL) {
    const mebibytes = SQL_GROWTH_BYTES_MAX / (1024 * 1024);
    const message = `${FULL}: one statement may let the file grow by ${mebibytes} MiB (SQL_GROWTH_BYTES_MAX); write less in one step`;
    return new StatementError("statement", message, { cause: error });
  }
  if (context === undefined)
    return new StatementError("statement", error.message, { cause: error });
  const message = withoutValues(error.message, context.statement.binds);
  const hints = courteousHints(message, context);
  return new StatementError("statement", message, { hints, cause: error });
}

/**
 * Whether a read found the journal of a process that was killed while it wrote. A read-only
 * connection cannot roll it back; the writer does so when it opens the data source.
 */
export function isLeftJournal(error: unknown): boolean {
  return (
    error instanceof StatementError &&
    error.reason === "rolled_back" &&
    error.cause instanceof Error &&
    error.cause.message === READ_ONLY
  );
}

/** The engine's message for a write to a read-only file, or for a rollback in it. */
const READ_ONLY = "attempt to write a readonly database";
/** The engine's message when no page can be added, because of the disk or of the limit. */
const FULL = "database or disk is full";
/** The engine's message for another process's lock. */
const LOCKED = /^database (table |schema )?is locked/;
function courteousHints(message: string, context: FailureContext): readonly string[] {
  try {
    return hintsFor(message, context.statement.tables, context.catalog);
  } catch (error) {
    // An error while computing hints must not replace the original error.
    if (isEngineError(error)) return [];
    throw error;
  }
}

/** The driver marks errors of the engine. */
function isEngineError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
