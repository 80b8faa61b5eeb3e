import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@steward/kernel/errors.js";
import type { RestApp } from "./rest-app.js";

/**
 * Refuses requests that a page of another site makes a browser send, because the browser may reach
 * a server that the page's author cannot. Following a link to one of this server's pages is
 * harmless and stays possible. Programs send neither header.
 */
export function refuseForeignPages(app: RestApp): void {
  app.addHook("onRequest", ({ headers, method }, _reply, done) => {
    const isFollowedLink =
      headers["sec-fetch-mode"] === "navigate" && (method === "GET" || method === "HEAD");
    done(isFollowedLink || isOwnPage(headers) ? undefined : foreignPage(headers));
  });
}

/** Uses the browser's Fetch Metadata, or the page's origin, where present. */
function isOwnPage({ "sec-fetch-site": site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === "same-origin" || site === "none";
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

function foreignPage({ origin, host }: IncomingHttpHeaders): AppError {
  const page = origin === undefined ? "a page of another site" : `a page of ${origin}`;
  return new AppError(
    "POLICY_DENIED",
    `The request comes from ${page}; browsers may send requests only from this server's own pages, which are those of the host ` +
      `${host ?? "in the request's header"}, and no setting allows others. Send it from your own server; a proxy in front must pass ` +
      "on the header host of the browser",
  );
}
