import * as z from "zod";
import { AppError } from "@steward/kernel/errors.js";
import type { OpenIdProvider } from "../../../identity/ports.js";
import type { Services } from "../../services.js";
import type { RestApp } from "../rest-app.js";
import { begunSignInOf, setBegunSignIn } from "./session-cookies.js";
import { beginSession } from "./session-routes.js";
import { publicUrlOf } from "../public-url.js";

const LOGIN = "/auth/login";
/** The path of the redirect URI, which is registered at the provider. */
const CALLBACK = "/auth/callback";
/** Characters of the address to return to, which a cookie has to hold. */
const RETURN_TO_LENGTH_MAX = 1024;

/**
 * Signs people in at an OpenID provider. A browser follows both addresses as links, so that they
 * answer with redirects; an error is shown by the console at `/sign-in`.
 */
export function addOpenIdRoutes(app: RestApp, services: Services, openid: OpenIdProvider): void {
  const { signIn, log } = services;
  const querystring = z.object({ return_to: z.string().optional() });
  app.get(LOGIN, { schema: { hide: true, querystring } }, async (request, reply) => {
    // The provider only redirects to addresses that are registered there.
    const { page, transaction } = await openid.begin(`${publicUrlOf(request, signIn)}${CALLBACK}`);
    const returnTo = ownPath(request.query.return_to);
    setBegunSignIn(request, reply, signIn, { ...transaction, returnTo });
    return reply.header("cache-control", "no-store").redirect(page.href);
  });

  const anything = z.record(z.string(), z.unknown());
  app.get(CALLBACK, { schema: { hide: true, querystring: anything } }, async (request, reply) => {
    void reply.header("cache-control", "no-store");
    const begun = begunSignInOf(request, signIn);
    setBegunSignIn(request, reply, signIn, undefined);
    try {
      if (begun === undefined) throw notBegun();
      const [, query = ""] = request.url.split("?", 2);
      const principal = await openid.finish(new URLSearchParams(query), begun);
      await beginSession(request, reply, services, principal, (recorded) =>
        signIn.sessions.startForPerson(principal, recorded),
      );
      return await reply.redirect(ownPath(begun.returnTo));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn({ err: error, requestId: request.id }, "sign-in at the OpenID provider failed");
      // A word of a fixed set: anybody can make a link with a text of their own.
      const reason = error.code === "UNAUTHENTICATED" ? "failed" : "unavailable";
      return reply.redirect(`/sign-in?error=${reason}`);
    }
  });
}

function notBegun(): AppError {
  return new AppError(
    "UNAUTHENTICATED",
    "The sign-in failed: this browser has begun none, or took longer than 10 minutes; sign in again",
  );
}

/** A path of this server; `/` for anything that could lead to another one. */
function ownPath(text: string | undefined): string {
  const base = "http://own.invalid";
  if (text === undefined || text.length > RETURN_TO_LENGTH_MAX) return "/";
  if (!text.startsWith("/") || !URL.canParse(text, base)) return "/";
  const { origin, pathname, search, hash } = new URL(text, base);
  return origin === base && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : "/";
}
