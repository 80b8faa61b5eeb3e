import type { IncomingHttpHeaders } from "node:http";

/**
 * Headers that must not be repeated, because they identify the caller or the target of a request.
 */
const SINGLE: ReadonlySet<string> = new Set([
  "authorization",
  "idempotency-key",
  "x-agent-id",
  "x-org-id",
  "x-orm-model",
  "x-proxy-secret",
  "x-session-id",
  "x-user-id",
  "x-user-permissions",
  "x-user-role",
]);

/**
 * The headers, with all values of each repeated identity header. Node joins some repeated headers
 * with a comma and keeps only the first of others, so repetitions would be invisible.
 * @param rawHeaders Names and values in turn, as received.
 */
export function withRepeatedHeaders<Headers extends IncomingHttpHeaders>(
  headers: Headers,
  rawHeaders: readonly string[],
): Headers {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size === 0) return headers;
  const all = [...repeated].map((name) => [name, valuesOf(name, rawHeaders)]);
  return Object.assign(Object.create(null), headers, Object.fromEntries(all)) as Headers;
}

function valuesOf(wanted: string, rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter(
    (_text, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,
  );
}
