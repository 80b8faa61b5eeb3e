import { assert } from "@steward/kernel/assert.js";
import { quotedName } from "./quoted-name.js";

/**
 * How long after the deadline the server itself stops a statement, in ms, in case this process died
 * or cannot reach the server.
 */
const SERVER_DELAY_MS = 200;
/** How long a statement may wait for a lock, in ms. */
const LOCK_MS_MAX = 10_000;
/** How long the server waits for the next message within a transaction, in ms. */
const IDLE_IN_TRANSACTION_MS_MAX = 10_000;

/** Where a transaction goes back to when a statement's parameters have to be declared anew. */
export const BEFORE_STATEMENT = "steward_before_statement";

/** What the row-level security of a data source can ask for: `current_setting('steward.org_id')`. */
const ORGANIZATION_SETTING = '"steward.org_id"';

/** What stands in a literal as it is, as the ids of organizations do, which are UUIDs. */
const PLAIN = /^[A-Za-z0-9-]+$/;

/** For whom a transaction is. */
export interface TransactionOwner {
  /** UUID. */
  readonly orgId: string;
  /** What is left for the statement. */
  readonly timeoutMs: number;
}

/**
 * Begins a transaction whose settings are its own, so that nothing depends on what the role, the
 * database or a pooler has set, and nothing is left behind: UTC, ISO dates, text as we read it, and the organization
 * whose statement it is for.
 */
export function beginText(
  mode: "READ ONLY" | "READ WRITE",
  { orgId, timeoutMs }: TransactionOwner,
): string {
  assert(PLAIN.test(orgId), "the id of an organization has nothing to escape");
  return `BEGIN ISOLATION LEVEL READ COMMITTED ${mode};
SET LOCAL statement_timeout = ${timeoutMs + SERVER_DELAY_MS};
SET LOCAL lock_timeout = ${Math.min(LOCK_MS_MAX, timeoutMs)};
SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX};
SET LOCAL standard_conforming_strings = on;
SET LOCAL TimeZone = 'UTC';
SET LOCAL DateStyle = 'ISO, YMD';
SET LOCAL IntervalStyle = 'postgres';
SET LOCAL bytea_output = 'hex';
SET LOCAL extra_float_digits = 1;
SET LOCAL ${ORGANIZATION_SETTING} = '${orgId}';`;
}

/**
 * What comes between the begin of a transaction and an agent's statement: the role of its organization, if it has one,
 * and a savepoint for a statement with values. The savepoint comes second, so that going back to it keeps the role.
 * Each command ends with a semicolon.
 */
export function enterText(role: string | undefined, binds: readonly unknown[]): string {
  const enter = role === undefined ? "" : `SET LOCAL ROLE ${quotedName([role])};`;
  return binds.length === 0 ? enter : `${enter}SAVEPOINT ${BEFORE_STATEMENT};`;
}

/**
 * Goes back to the role that has logged in, for statements of our own. Constraints that were deferred are checked
 * before, as the organization's role: what a trigger does has its rights.
 */
export const LEAVE_ROLE = "SET CONSTRAINTS ALL IMMEDIATE;\nSET LOCAL ROLE NONE";
