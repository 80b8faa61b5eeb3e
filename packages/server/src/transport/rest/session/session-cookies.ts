import type { FastifyReply, FastifyRequest } from "fastify";
import type { OpenIdTransaction } from "../../../identity/ports.js";
import { OPENID_SIGN_IN_MS_MAX } from "../../../identity/limits.js";

/** A sign-in that has begun, as the browser's cookie holds it. */
export interface BegunSignIn extends OpenIdTransaction {
  /** The view of the console to show afterwards. */
  readonly returnTo: string;
}

/** Whether browsers reach the server by TLS, in which case cookies are bound to it. */
export interface CookieScope {
  readonly isSecure: boolean;
}

/** Characters of a cookie header that is read: Node's limit for all headers together. */
const COOKIE_LENGTH_MAX = 16 * 1024;

/** The id of the session in a request's cookie; `undefined`: the browser is not signed in. */
export function sessionIdOf(request: FastifyRequest, scope: CookieScope): string | undefined {
  return cookieOf(request, nameOf("session", request, scope));
}

/** Gives the browser the id of its session. */
export function setSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, maxAgeMs, ...scope }: CookieScope & { readonly id: string; readonly maxAgeMs: number },
): void {
  // Strict: no link of another site carries it. A page needs it for its own requests only.
  setCookie(reply, scope, {
    ...{ name: nameOf("session", request, scope), value: id, maxAgeMs, sameSite: "Strict" },
  });
}

/** Makes the browser forget its session. */
export function clearSession(
  request: FastifyRequest,
  reply: FastifyReply,
  scope: CookieScope,
): void {
  setSession(request, reply, { ...scope, id: "", maxAgeMs: 0 });
}

/** The sign-in at an OpenID provider that this browser has begun; `undefined`: none. */
export function begunSignInOf(
  request: FastifyRequest,
  scope: CookieScope,
): BegunSignIn | undefined {
  const value = cookieOf(request, nameOf("sign-in", request, scope));
  if (value === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, "base64url").toString("utf8"));
    return isBegunSignIn(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Gives the browser what it has to bring back from the provider, so that any node can finish the
 * sign-in; `undefined` takes it away.
 */
export function setBegunSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  scope: CookieScope,
  begun: BegunSignIn | undefined,
): void {
  const value = begun && Buffer.from(JSON.stringify(begun)).toString("base64url");
  setCookie(reply, scope, {
    name: nameOf("sign-in", request, scope),
    value: value ?? "",
    maxAgeMs: value === undefined ? 0 : OPENID_SIGN_IN_MS_MAX,
    // Lax: the provider's redirect to this server must carry it.
    sameSite: "Lax",
  });
}

/**
 * The name of a cookie. With TLS the prefix makes browsers refuse the cookie from any other host
 * (RFC 6265bis §4.1.3.2). Without it the port is in the name, because servers on different ports of
 * one machine share its cookies.
 */
function nameOf(what: string, { host }: FastifyRequest, { isSecure }: CookieScope): string {
  if (isSecure) return `__Host-steward-${what}`;
  const [, port = "80"] = /:(\d{1,5})$/.exec(host) ?? [];
  return `steward-${what}-${port}`;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly maxAgeMs: number;
  readonly sameSite: "Strict" | "Lax";
}

function setCookie(reply: FastifyReply, { isSecure }: CookieScope, cookie: Cookie): void {
  const { name, value, maxAgeMs, sameSite } = cookie;
  const maxAge = `Max-Age=${String(Math.ceil(maxAgeMs / 1000))}`;
  const parts = [`${name}=${value}`, "Path=/", maxAge, "HttpOnly", `SameSite=${sameSite}`];
  // Fastify sends each value that is set under this name.
  void reply.header("set-cookie", [...parts, ...(isSecure ? ["Secure"] : [])].join("; "));
}

function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const text = headers.cookie ?? "";
  if (text.length > COOKIE_LENGTH_MAX) return undefined;
  for (const part of text.split(";")) {
    const [key = "", value = ""] = part.trim().split("=", 2);
    if (key === name && value !== "") return value;
  }
  return undefined;
}

function isBegunSignIn(value: unknown): value is BegunSignIn {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["state", "nonce", "codeVerifier", "redirectUri", "returnTo"];
  return texts.every((name) => typeof (value as Record<string, unknown>)[name] === "string");
}
