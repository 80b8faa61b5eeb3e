import type { LogFields } from "@steward/kernel/log.js";

const MASK = "[redacted]";

/** Names of fields with credentials, whose values are never written. */
const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|.*(secret|passw(or)?d|token|api[-_]?key|private[-_]?key).*)$/i;

/**
 * The password in a URL such as `postgres://user:password@host/db`, anywhere in a text. All
 * repetitions are bounded, so that matching takes linear time.
 */
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/?#@]{0,256}:)[^\s/?#@]{1,256}@/gi;

/**
 * Keys of the payment provider, recognized by their prefix (`sk_live_…`, `rk_test_…`, `whsec_…`).
 */
const PAYMENT_KEY = /\b((?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]+/g;

/** Limit of nesting. Deeper values and circular references are omitted. */
const DEPTH_MAX = 8;

/**
 * A copy of a log line's fields that is safe to write: secrets are masked at any depth and inside
 * texts, and errors include their causes. pino's own `redact` only supports fixed paths, and
 * properties of errors (a driver's connection string, a client's request headers) have none.
 */
export function redacted(fields: LogFields): Record<string, unknown> {
  return redactedMembers(Object.entries(fields), 0);
}

function redactedMembers(
  members: readonly (readonly [string, unknown])[],
  depth: number,
): Record<string, unknown> {
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      SECRET_NAME.test(name) && value !== undefined ? MASK : redactedValue(value, depth + 1),
    ]),
  );
}

function redactedValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactedText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return `[${String(value.byteLength)} bytes]`;
  if (value instanceof Date) return value;
  if (depth > DEPTH_MAX) return "[…]";
  if (Array.isArray(value)) return value.map((item: unknown) => redactedValue(item, depth + 1));
  if (value instanceof Error) return redactedMembers(errorMembers(value, true), depth);
  return redactedMembers(Object.entries(value), depth);
}

/**
 * The properties of an error, including `message`, `stack` and `cause`, which are not enumerable.
 * The stack is omitted for expected errors, whose cause lies outside this program.
 */
function errorMembers(error: Error, withStack: boolean): readonly (readonly [string, unknown])[] {
  const isDefect = withStack && !isExpected(error);
  const { cause } = error;
  const told =
    cause instanceof Error && !isDefect ? Object.fromEntries(errorMembers(cause, false)) : cause;
  return [
    ...Object.entries(error),
    ["type", error.name],
    ["message", error.message],
    ...(isDefect ? [["stack", error.stack] as const] : []),
    ...(cause === undefined ? [] : [["cause", told] as const]),
  ];
}

/**
 * Whether an error is an expected failure: one of ours, of the system, of a database, or of an
 * embedding provider. Codes of Node's own API misuse (`ERR_…`) do not count.
 */
function isExpected(error: Error): boolean {
  if (error.name === "EmbeddingError") return true;
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" && code !== "INTERNAL" && !code.startsWith("ERR_");
}

function redactedText(text: string): string {
  return text.replace(URL_PASSWORD, `$1${MASK}@`).replace(PAYMENT_KEY, `$1_${MASK}`);
}
