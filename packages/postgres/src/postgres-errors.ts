import pg from "pg";
import { AppError } from "@steward/kernel/errors.js";

/** Classification of PostgreSQL's errors by SQLSTATE (PostgreSQL manual, appendix A). */

/** The driver cannot log in with the credentials of the URL; trying again does not help. */
export class LoginFailure extends Error {}

/** Class 28, an invalid role or password, and class 3D, an invalid database. */
const CONNECTION_REFUSED = /^(28|3D)/;

/** The server closes, or has closed, the connection. */
const CONNECTION_ENDED = /^(08...|57P0[1-5]|25P0[34])$/;

/** Messages of the driver and of sockets when a connection is lost. */
const CONNECTION_GONE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|(read|write) E[A-Z]+|connect E[A-Z]+)/;

/**
 * The server responds, but does not know whether the transaction was committed: SQLSTATE 40003, or
 * XX000 "could not commit transaction for shard" from a Citus coordinator when a worker node has
 * not confirmed the commit.
 */
const COMPLETION_UNKNOWN: ReadonlySet<string> = new Set(["40003", "XX000"]);

/** The SQLSTATE of a server's error; `undefined` for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/**
 * Why a connection was refused for a reason that does not pass: the server's message about the role,
 * its password or the database, or the reason of a {@link LoginFailure}.
 * @returns `undefined` for any other error.
 */
export function connectionRefusal(error: unknown): string | undefined {
  if (error instanceof LoginFailure) return error.message;
  const isRefusal = error instanceof pg.DatabaseError && CONNECTION_REFUSED.test(error.code ?? "");
  return isRefusal ? error.message : undefined;
}

/**
 * Whether a statement failed because its connection was lost. The statement may have taken effect.
 */
export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof pg.DatabaseError) return CONNECTION_ENDED.test(cause.code ?? "");
  return cause instanceof Error && CONNECTION_GONE.test(cause.message);
}

/**
 * Whether the outcome of a committing statement (COMMIT, or a statement outside a transaction) is
 * unknown. It may have taken effect, or may still do so.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || CONNECTION_ENDED.test(state) || COMPLETION_UNKNOWN.has(state);
}
