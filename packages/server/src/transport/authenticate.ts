import { createHash, timingSafeEqual } from "node:crypto";
import { NIL_ORG_ID, type Caller } from "../kernel/caller.js";
import { AppError } from "../kernel/errors.js";
import { isUuid } from "../kernel/ids.js";
import { SESSION_ID_LENGTH_MAX } from "../kernel/limits.js";
import { AddressSet } from "./address-set.js";
import { headerText, malformedHeader } from "./header-text.js";
import type { Authenticate, IdentityHeaders } from "./services.js";

/** Whose identity headers are believed. What is configured must all hold; nothing: anybody's. */
export interface HeadersTrust {
  /** Addresses or CIDR ranges of the proxies that set the headers. */
  readonly trustedProxies: readonly string[];
  /** What such a proxy sends as `x-proxy-secret`. */
  readonly proxySecret?: string;
}

/** Characters in the id of an organization, a user or an agent. */
const ID_LENGTH_MAX = 255;
/** Width of `usage_events.orm_model` (Contract §2.9). */
const ORM_MODEL_LENGTH_MAX = 64;
/** Characters in a role, in a list of permissions, and in the proxy secret. */
const HEADER_LENGTH_MAX = 4096;

/**
 * Believes the identity headers of whoever is trusted (Decision §2, `SERVICE_AUTH=headers`).
 * @throws Error when a trusted proxy is neither an address nor a CIDR range.
 */
export function headersAuthenticator(trust: HeadersTrust): Authenticate {
  const assertTrusted = trustCheck(trust);
  return (headers, peerAddress) => {
    assertTrusted(headers, peerAddress);
    return callerOf(headers);
  };
}

/**
 * Refuses a listener beyond loopback when nobody vouches for the identity headers (Decision §2):
 * whoever reached it would be whoever they say.
 * @throws AppError `INVALID_ARGUMENT` with the fix in its message.
 */
export function assertSafeToListen(host: string, trust: HeadersTrust): void {
  if (isVouchedFor(trust) || host === "localhost" || LOOPBACK.has(host)) return;
  throw new AppError(
    "INVALID_ARGUMENT",
    `Refusing to listen on ${host}: with SERVICE_AUTH=headers whoever reaches it can claim any identity. ` +
      "Listen on 127.0.0.1 (SERVICE_HOST), or name the proxies that set the identity headers " +
      "(SERVICE_TRUSTED_PROXIES) or share a secret with them (SERVICE_PROXY_SECRET)",
  );
}

/** Whether somebody stands between the callers and this server who says who they are. */
function isVouchedFor(trust: HeadersTrust): boolean {
  return trust.trustedProxies.length > 0 || trust.proxySecret !== undefined;
}

/**
 * Whether a request's `Host` is this machine. A web page that had its own name resolve to 127.0.0.1
 * (DNS rebinding) would speak with the user's browser, but under that name. gRPC sends none.
 */
function namesLoopback(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || LOOPBACK.has(name.replace(/^\[|\]$/g, ""));
}

const LOOPBACK = new AddressSet(["127.0.0.0/8", "::1"]);

function trustCheck(trust: HeadersTrust): (headers: IdentityHeaders, peerAddress: string) => void {
  const proxies = new AddressSet(trust.trustedProxies);
  const restricted = trust.trustedProxies.length > 0;
  const secretDigest = trust.proxySecret === undefined ? undefined : sha256(trust.proxySecret);
  const vouched = isVouchedFor(trust);
  return (headers, peerAddress) => {
    if (!vouched && !namesLoopback(headers.host)) {
      throw new AppError(
        "UNAUTHENTICATED",
        "Without a trusted proxy, requests must be addressed to localhost or a loopback address",
      );
    }
    if (restricted && !proxies.has(peerAddress)) {
      throw new AppError("UNAUTHENTICATED", "Requests are taken from the trusted proxies only");
    }
    if (secretDigest === undefined) return;
    const shown = headerText(headers, "x-proxy-secret", HEADER_LENGTH_MAX) ?? "";
    // Digests have one length, so that comparing them tells nothing of the secret's.
    if (!timingSafeEqual(sha256(shown), secretDigest)) {
      throw new AppError("UNAUTHENTICATED", "The header x-proxy-secret is missing or wrong");
    }
  };
}

function callerOf(headers: IdentityHeaders): Caller {
  const sessionId = headerText(headers, "x-session-id", SESSION_ID_LENGTH_MAX);
  const userId = headerText(headers, "x-user-id", ID_LENGTH_MAX);
  const agentId = headerText(headers, "x-agent-id", ID_LENGTH_MAX);
  const ormModel = headerText(headers, "x-orm-model", ORM_MODEL_LENGTH_MAX);
  return {
    orgId: orgIdOf(headers),
    roles: roleOf(headers),
    permissions: listOf(headers, "x-user-permissions"),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(ormModel === undefined ? {} : { ormModel }),
  };
}

function orgIdOf(headers: IdentityHeaders): string {
  const orgId = headerText(headers, "x-org-id", ID_LENGTH_MAX);
  if (orgId === undefined) return NIL_ORG_ID;
  if (!isUuid(orgId)) throw malformedHeader("x-org-id", "an organization is named by a UUID");
  return orgId.toLowerCase();
}

/** The one role that the header equals (Contract §5); it is not a list. */
function roleOf(headers: IdentityHeaders): readonly string[] {
  const role = headerText(headers, "x-user-role", HEADER_LENGTH_MAX);
  return role === undefined ? NOBODY : [role];
}

/** The names of a comma-separated list, as they are spelled; what they mean is the reader's. */
function listOf(headers: IdentityHeaders, name: string): readonly string[] {
  const text = headerText(headers, name, HEADER_LENGTH_MAX);
  if (text === undefined) return NOBODY;
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

const NOBODY: readonly string[] = [];

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
