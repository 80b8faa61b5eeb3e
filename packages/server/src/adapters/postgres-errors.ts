import pg from "pg";
import { AppError } from "../kernel/errors.js";

/**
 * What PostgreSQL's errors mean for whoever has sent a statement. Codes are SQLSTATEs (PostgreSQL manual,
 * appendix A).
 */

/** Classes 28, the role or its password, and 3D, the database. */
const CONNECTION_REFUSED = /^(28|3D)/;

/** The server ends the connection, or has ended it. */
const CONNECTION_ENDED = /^(08...|57P0[1-5]|25P0[34])$/;

/** What the driver says, and the sockets under it, when a connection has gone. */
const CONNECTION_GONE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|(read|write) E[A-Z]+|connect E[A-Z]+)/;

/**
 * The server answers, and does not know itself what has become of the transaction: 40003 says so, and a
 * Citus coordinator says XX000, "could not commit transaction for shard", when a node of its cluster has
 * not confirmed the commit.
 */
const COMPLETION_UNKNOWN: ReadonlySet<string> = new Set(["40003", "XX000"]);

/** The SQLSTATE of what the server said; `undefined` when the server said nothing. */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/**
 * What the server said when it refused the role, its password or the database.
 * @returns `undefined` for any other error.
 */
export function connectionRefusal(error: unknown): string | undefined {
  const isRefusal = error instanceof pg.DatabaseError && CONNECTION_REFUSED.test(error.code ?? "");
  return isRefusal ? error.message : undefined;
}

/** Whether a statement failed because its connection was lost; what it was to do may have happened or not. */
export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof pg.DatabaseError) return CONNECTION_ENDED.test(cause.code ?? "");
  return cause instanceof Error && CONNECTION_GONE.test(cause.message);
}

/**
 * Whether nobody knows how a statement ended that commits: COMMIT, or a statement outside of a
 * transaction. It may have taken effect, or may still do so.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || CONNECTION_ENDED.test(state) || COMPLETION_UNKNOWN.has(state);
}
