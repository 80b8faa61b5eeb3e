import type { FastifyRequest } from "fastify";
import { AppError } from "@steward/kernel/errors.js";

/** The header that the console sends. A page of another site cannot send it without permission. */
export const CONSOLE_HEADER = "x-steward-console";

/**
 * Refuses a change that a browser makes with its session, unless a page of this server sends it: a
 * form or script of another site would carry the cookie too. The browser's Fetch Metadata or the
 * page's origin prove the page, and the header shows that a script of it sent the request.
 * @throws AppError `POLICY_DENIED`.
 */
export function requireOwnConsole({ headers, method }: FastifyRequest): void {
  if (method === "GET" || method === "HEAD") return;
  const { "sec-fetch-site": site, origin, host } = headers;
  const isSameOrigin =
    site === undefined
      ? origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
      : site === "same-origin";
  if (isSameOrigin && headers[CONSOLE_HEADER] === "1") return;
  throw new AppError(
    "POLICY_DENIED",
    `A change with a browser's session must come from the console's own page, with the header ${CONSOLE_HEADER}: 1; a program sends a credential as authorization instead`,
  );
}
