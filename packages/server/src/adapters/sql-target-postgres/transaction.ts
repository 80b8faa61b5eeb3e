import { assert } from "@steward/kernel/assert.js";
import { quotedName } from "./quoted-name.js";

/**
 * How long after the deadline the server itself stops a statement, in ms, in case this process has
 * died or cannot reach the server.
 */
const SERVER_DELAY_MS = 200;
/** How long a statement may wait for a lock, in ms. */
const LOCK_MS_MAX = 10_000;
/** How long the server waits for the next message within a transaction, in ms. */
const IDLE_IN_TRANSACTION_MS_MAX = 10_000;

/** The savepoint to return to when a statement's parameter types must be declared again. */
export const BEFORE_STATEMENT = "steward_before_statement";

/** The setting for row-level security in a data source: `current_setting('steward.org_id')`. */
const ORGANIZATION_SETTING = '"steward.org_id"';

/** Texts that need no escaping in a literal. The ids of organizations are UUIDs, so they match. */
const PLAIN = /^[A-Za-z0-9-]+$/;

/** The organization and time limit of a transaction. */
export interface TransactionOwner {
  /** UUID. */
  readonly orgId: string;
  /** The remaining time for the statement. */
  readonly timeoutMs: number;
  /** How long the statement may wait for a lock, in ms; absent: LOCK_MS_MAX. */
  readonly lockMs?: number;
}

/**
 * Where the statement's own limit is not longer than the limit for locks, only the former ends it. Otherwise
 * it would be chance which one did: a failure for a lock is retried, an exceeded limit is not.
 */
const OFF = 0;

/**
 * Begins a transaction with its own settings, which replace those of the role, the database or a
 * pooler and end with the transaction: UTC, ISO dates, the text formats that this adapter reads,
 * the meaning of NULL in arrays and comparisons, and the organization. Each element is one command.
 */
export function beginCommands(
  mode: "READ ONLY" | "READ WRITE",
  { orgId, timeoutMs, lockMs = LOCK_MS_MAX }: TransactionOwner,
): readonly string[] {
  assert(PLAIN.test(orgId), "the id of an organization has nothing to escape");
  return [
    `BEGIN ISOLATION LEVEL READ COMMITTED ${mode}`,
    `SET LOCAL statement_timeout = ${timeoutMs + SERVER_DELAY_MS}`,
    `SET LOCAL lock_timeout = ${lockMs < timeoutMs ? lockMs : OFF}`,
    ...SETTINGS,
    `SET LOCAL ${ORGANIZATION_SETTING} = '${orgId}'`,
  ];
}

const SETTINGS: readonly string[] = [
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX}`,
  "SET LOCAL standard_conforming_strings = on",
  "SET LOCAL TimeZone = 'UTC'",
  "SET LOCAL DateStyle = 'ISO, YMD'",
  "SET LOCAL IntervalStyle = 'postgres'",
  "SET LOCAL bytea_output = 'hex'",
  "SET LOCAL extra_float_digits = 1",
  "SET LOCAL array_nulls = on",
  "SET LOCAL transform_null_equals = off",
];

/**
 * Commands between the begin of a transaction and an agent's statement: they set the role of its
 * organization, if it has one, and a savepoint for a statement with values. The savepoint comes
 * second, so that rolling back to it keeps the role.
 */
export function enterCommands(
  role: string | undefined,
  binds: readonly unknown[],
): readonly string[] {
  return [
    ...(role === undefined ? [] : [`SET LOCAL ROLE ${quotedName([role])}`]),
    ...(binds.length === 0 ? [] : [`SAVEPOINT ${BEFORE_STATEMENT}`]),
  ];
}

/** Joins SQL commands into one text. Each ends with a semicolon, so that another command can follow. */
export function textOf(commands: readonly string[]): string {
  return commands.map((command) => `${command};`).join("\n");
}

/**
 * Returns to the login role, for the service's own statements. Deferred constraints are checked
 * before, because their triggers must run with the rights of the organization's role.
 */
export const LEAVE_ROLE = "SET CONSTRAINTS ALL IMMEDIATE;\nSET LOCAL ROLE NONE";
