import { DatabaseError } from "pg";
import { StatementError, type SqlValue } from "../../plans/ports.js";
import { withoutValues } from "../sql-target/bound-values.js";
import { connectionRefusal, isConnectionLost, ReportTooLong } from "@steward/postgres";

/** SQLSTATEs of transient failures without an effect (PostgreSQL manual, appendix A). */
const PASSING: ReadonlySet<string> = new Set([
  "40001",
  "40P01",
  "53000",
  "53100",
  "53200",
  "53300",
  "55006",
  "55P03",
  "57P03",
]);
const READ_ONLY = "25006";
const CANCELLED = "57014";
const UNKNOWN_COLUMN = "42703";
const UNKNOWN_TYPE: ReadonlySet<string> = new Set(["42P18", "42P08"]);

/** The error for a failed connection. */
export function toConnectError(error: unknown): StatementError {
  const code = codeOf(error);
  const said = connectionRefusal(error);
  const isLasting =
    said !== undefined ||
    (error instanceof DatabaseError && !PASSING.has(code) && !isConnectionLost(error));
  if (isLasting) {
    const message =
      said === undefined
        ? `The data source refuses the connection (SQLSTATE ${code})`
        : `The data source refuses the connection: ${said}; the operator of this service must correct its URL`;
    return new StatementError("statement", message, { cause: error });
  }
  const message = `The data source cannot be reached now (${code}); nothing was changed`;
  return new StatementError("rolled_back", message, { cause: error });
}

/** Details of a failed statement. */
export interface FailureContext {
  readonly binds: readonly SqlValue[];
  /** Whether the statement's time was not up when it failed. */
  readonly hasTimeLeft: boolean;
  /** Replaces the server's message, when that message must not be shown. */
  readonly message?: string | undefined;
  /** Hints for repairing the statement. */
  readonly hints: readonly string[];
}

/**
 * The error that an agent gets: the reason, and the message without values. The statement has had
 * no effect, because no COMMIT was sent or the server refused it.
 */
export function toStatementError(
  error: unknown,
  { binds, message: told, hints, hasTimeLeft }: FailureContext,
): StatementError {
  if (error instanceof StatementError) return error;
  const options = { cause: error };
  if (error instanceof ReportTooLong) {
    const message =
      "The statement failed, and the data source's message about it is too long to read; use shorter values";
    return new StatementError("statement", message, options);
  }
  if (!(error instanceof DatabaseError) || isConnectionLost(error)) {
    const message = `The connection to the data source was lost (${codeOf(error)}); nothing was changed`;
    return new StatementError("rolled_back", message, options);
  }
  const code = codeOf(error);
  const message = withoutValues(told ?? error.message, binds);
  if (code === READ_ONLY) return new StatementError("intent", message, options);
  if (code === CANCELLED) {
    // The server has one SQLSTATE for its time limit and for a cancel request.
    return !hasTimeLeft
      ? new StatementError("timeout", "The statement was stopped: it took too long", options)
      : new StatementError("rolled_back", `${message}; nothing was changed`, options);
  }
  if (PASSING.has(code)) {
    const busy = `The data source is busy (${message}); nothing was changed, try again`;
    return new StatementError("rolled_back", busy, options);
  }
  const ownHints = hints.length > 0 ? hints : driverHints(error, message, binds);
  return new StatementError("statement", message, { ...options, hints: ownHints });
}

/**
 * PostgreSQL's own hints, except hints with column names, because the role may not be allowed to
 * read those columns.
 */
function driverHints(
  error: DatabaseError,
  message: string,
  binds: readonly SqlValue[],
): readonly string[] {
  if (UNKNOWN_TYPE.has(codeOf(error))) {
    return [`${message}; give its type by a cast, such as {{…}}::text`];
  }
  const isWithheld = error.hint === undefined || codeOf(error) === UNKNOWN_COLUMN;
  return isWithheld ? [] : [`${message}. ${withoutValues(error.hint ?? "", binds)}`];
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "no answer";
}
