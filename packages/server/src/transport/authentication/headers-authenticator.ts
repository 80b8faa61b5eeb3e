import { createHash, timingSafeEqual } from "node:crypto";
import { kindOf, NIL_ORG_ID, type Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import { ROLE_RULE, roleName } from "@steward/kernel/role-name.js";
import { AddressSet } from "./address-set.js";
import { headerText, HEADER_LENGTH_MAX, ID_LENGTH_MAX, malformedHeader } from "../header-text.js";
import { isLoopback } from "../../kernel/loopback.js";
import { requestOwn } from "../request-own.js";
import type { Authenticate, IdentityHeaders } from "../services.js";

/**
 * The senders whose identity headers are trusted. All configured conditions must hold; without
 * conditions, every sender is trusted.
 */
export interface HeadersTrust {
  /** Addresses or CIDR ranges of the proxies that set the headers. */
  readonly trustedProxies: readonly string[];
  /** Values of `x-proxy-secret` that such a proxy may send; several during a rotation. */
  readonly proxySecrets: readonly string[];
}

/**
 * Trusts the identity headers of trusted senders (Decision §2, `SERVICE_AUTH=headers`).
 * @throws Error when a trusted proxy is neither an address nor a CIDR range.
 */
export function headersAuthenticator(trust: HeadersTrust): Authenticate {
  const assertTrusted = trustCheck(trust);
  const isVouched = isVouchedFor(trust);
  // An error thrown inside the promise's function becomes a rejection.
  return ({ headers, peerAddress }) =>
    new Promise((resolve) => {
      assertTrusted(headers, peerAddress);
      resolve(callerOfHeaders(headers, isVouched ? "proxy" : "headers"));
    });
}

/** Whether a trusted proxy authenticates the callers. */
export function isVouchedFor(trust: HeadersTrust): boolean {
  return trust.trustedProxies.length > 0 || trust.proxySecrets.length > 0;
}

/**
 * Whether a request's `Host` is this machine. With DNS rebinding, a web page makes its own name
 * resolve to 127.0.0.1 and uses the user's browser, but the `Host` is still the page's name. gRPC
 * requests have no `Host`.
 */
function namesLoopback(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return isLoopback(name);
}

function trustCheck(trust: HeadersTrust): (headers: IdentityHeaders, peerAddress: string) => void {
  const proxies = new AddressSet(trust.trustedProxies);
  const restricted = trust.trustedProxies.length > 0;
  const secretDigests = trust.proxySecrets.map(sha256);
  const vouched = isVouchedFor(trust);
  return (headers, peerAddress) => {
    if (!vouched && !namesLoopback(headers.host)) {
      throw new AppError(
        "UNAUTHENTICATED",
        "This server answers only requests that are addressed to localhost or a loopback address, such as 127.0.0.1. For another host " +
          "name, have a trusted proxy send the request (SERVICE_TRUSTED_PROXIES, SERVICE_PROXY_SECRET), or ask for credentials " +
          "(SERVICE_AUTH=apikey, jwt or mtls)",
      );
    }
    if (restricted && !proxies.has(peerAddress)) {
      throw new AppError(
        "UNAUTHENTICATED",
        "Requests are accepted only from the trusted proxies: send it to the proxy, or add the sender's address to SERVICE_TRUSTED_PROXIES",
      );
    }
    const secret = headerText(headers, "x-proxy-secret", HEADER_LENGTH_MAX);
    if (secretDigests.length === 0) {
      if (secret === undefined) return;
      throw new AppError(
        "UNAUTHENTICATED",
        "This server does not read the header x-proxy-secret: set SERVICE_PROXY_SECRET, or leave the header out",
      );
    }
    const shown = sha256(secret ?? "");
    // Digests have equal lengths, so comparing them does not reveal the length of the secret.
    if (!secretDigests.some((digest) => timingSafeEqual(shown, digest))) {
      throw new AppError(
        "UNAUTHENTICATED",
        "The header x-proxy-secret is missing or wrong: send the request to the proxy, which must send a value of SERVICE_PROXY_SECRET",
      );
    }
  };
}

/**
 * The caller whom identity headers name.
 * @param authenticatedBy who has set them.
 * @throws AppError `INVALID_ARGUMENT` for a malformed header; `UNAUTHENTICATED` when a proxy names no organization.
 */
export function callerOfHeaders(
  headers: IdentityHeaders,
  authenticatedBy: "headers" | "proxy" | "program",
): Caller {
  const userId = headerText(headers, "x-user-id", ID_LENGTH_MAX);
  const agentId = headerText(headers, "x-agent-id", ID_LENGTH_MAX);
  const who = {
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    roles: roleOf(headers),
    permissions: listOf(headers, "x-user-permissions"),
  };
  return {
    orgId: orgIdOf(headers, authenticatedBy),
    kind: kindOf(who),
    authenticatedBy,
    ...who,
    ...requestOwn(headers),
  };
}

function orgIdOf(
  headers: IdentityHeaders,
  authenticatedBy: keyof typeof ORGANIZATION_MISSING | "headers",
): string {
  const orgId = headerText(headers, "x-org-id", ID_LENGTH_MAX);
  if (orgId === undefined) {
    if (authenticatedBy === "headers") return NIL_ORG_ID;
    throw new AppError("UNAUTHENTICATED", ORGANIZATION_MISSING[authenticatedBy]);
  }
  if (!isUuid(orgId)) throw malformedHeader("x-org-id", "an organization is named by a UUID");
  return orgId.toLowerCase();
}

const ORGANIZATION_MISSING = {
  proxy: "The request names no organization: the trusted proxy must set x-org-id",
  program:
    "The caller has no organization: name it with orgId, or open the app with `organization`",
} as const;

/** The role named by the header (Contract §5), which is not a list. */
function roleOf(headers: IdentityHeaders): readonly string[] {
  const role = headerText(headers, "x-user-role", HEADER_LENGTH_MAX);
  if (role === undefined) return NOBODY;
  if (roleName(role) === undefined) throw malformedHeader("x-user-role", `a role ${ROLE_RULE}`);
  return [role];
}

/** The names of a comma-separated list, with unchanged spelling; the reader interprets them. */
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
