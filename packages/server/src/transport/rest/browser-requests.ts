import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@steward/kernel/errors.js";
import type { RestApp } from "./rest-app.js";

/**
 * Refuses what a page of another site has a browser send: the browser may reach a server that the page's
 * author does not. Following a link to a page of ours is harmless and stays possible. Programs send neither header.
 */
export function refuseForeignPages(app: RestApp): void {
  app.addHook("onRequest", ({ headers, method }, _reply, done) => {
    const isFollowedLink =
      headers["sec-fetch-mode"] === "navigate" && (method === "GET" || method === "HEAD");
    done(isFollowedLink || isOwnPage(headers) ? undefined : foreignPage(headers));
  });
}

/** By what the browser says of the page (Fetch Metadata), or the page's origin, where it says either. */
function isOwnPage({ "sec-fetch-site": site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === "same-origin" || site === "none";
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

function foreignPage({ origin }: IncomingHttpHeaders): AppError {
  const page = origin === undefined ? "a page of another site" : `a page of ${origin}`;
  return new AppError(
    "POLICY_DENIED",
    `The request comes from ${page}; browsers may send requests only from this server's own pages. Send it from your own server`,
  );
}
