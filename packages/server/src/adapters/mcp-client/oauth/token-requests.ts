import { createHash } from "node:crypto";
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  ClientCredentialsProvider,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  fetchToken,
  OAuthError,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import type { Clock } from "@steward/kernel/clock.js";
import type { McpOAuth } from "../../../governance/index.js";
import { MCP_CONNECT_MS } from "../../limits.js";
import { shortened } from "../call-result.js";
import { limitedFetch } from "../limited-fetch.js";
import { AccessRefused } from "./access-refused.js";
import type { Grant } from "./grant-file.js";
import { algorithmOf } from "./signing-algorithm.js";

/** Fetch for the requests of one exchange: limited in bytes and time, and never redirected. */
export function exchangeFetch(signal?: AbortSignal): typeof fetch {
  const limited = limitedFetch(() => undefined);
  return (input, init) => {
    const timeout = AbortSignal.timeout(MCP_CONNECT_MS);
    const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    return limited(input, { ...init, redirect: "manual", signal: ended });
  };
}

/** Asks for a token in the name of the client itself. @throws AccessRefused */
export async function clientCredentialsGrant(
  url: string,
  oauth: McpOAuth,
  clock: Clock,
): Promise<Grant> {
  const { issuer = "", clientId = "", clientSecret = "", privateKey, scope } = oauth;
  const known = { clientId, expectedIssuer: issuer, ...(scope === undefined ? {} : { scope }) };
  const provider =
    privateKey === undefined
      ? new ClientCredentialsProvider({ ...known, clientSecret })
      : new PrivateKeyJwtProvider({ ...known, privateKey, algorithm: algorithmOf(privateKey) });
  return refusedBy(issuer, async () => {
    const [metadata, { resource, scopes }] = await Promise.all([
      metadataOf(issuer),
      resourceOf(url),
    ]);
    const asked = scope ?? scopes;
    const tokens = await fetchToken(provider, issuer, {
      ...{ metadata, resource, fetchFn: exchangeFetch() },
      ...(asked === undefined ? {} : { scope: asked }),
    });
    return grantOf(tokens, { url, issuer, resource, clientId }, clock);
  });
}

/** Asks for a new access token. @throws AccessRefused */
export async function refreshedGrant(
  grant: Grant & { readonly refreshToken: string },
  clock: Clock,
): Promise<Grant> {
  const { issuer, clientId, clientSecret, refreshToken, accessToken: _old, ...kept } = grant;
  return refusedBy(issuer, async () => {
    const metadata = await metadataOf(issuer);
    const resource = grant.resource ?? (await resourceOf(grant.url)).resource;
    const tokens = await refreshAuthorization(issuer, {
      ...{ metadata, refreshToken, resource, fetchFn: exchangeFetch() },
      clientInformation: {
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      },
    });
    const known = { ...kept, issuer, resource, clientId };
    const secret = clientSecret === undefined ? {} : { clientSecret };
    return grantOf(tokens, { ...known, ...secret }, clock);
  });
}

/** The grant that consists of these newly received tokens. */
export function grantOf(
  { access_token, refresh_token, expires_in, scope }: OAuthTokens,
  { expiresAtMs: _old, ...known }: Omit<Grant, "accessToken" | "refreshToken">,
  clock: Clock,
): Grant {
  return {
    ...known,
    accessToken: access_token,
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(expires_in === undefined ? {} : { expiresAtMs: clock.nowMs() + expires_in * 1000 }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** A digest that identifies a secret without revealing it. */
export function digestOfSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

async function metadataOf(issuer: string): Promise<AuthorizationServerMetadata> {
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: exchangeFetch() });
  if (metadata !== undefined) return metadata;
  throw new AccessRefused(`the authorization server ${issuer} publishes no metadata (RFC 8414)`);
}

/** What the MCP server calls itself towards authorization servers; without metadata, its address. */
async function resourceOf(
  url: string,
): Promise<{ readonly resource: string; readonly scopes?: string }> {
  const published = await discoverOAuthProtectedResourceMetadata(url, {}, exchangeFetch()).catch(
    () => undefined,
  );
  if (published === undefined) return { resource: url };
  // Otherwise a server could name another server and so obtain a token for that one.
  const { resource } = published;
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
    throw new AccessRefused("its metadata names the resource of another server (RFC 9728)");
  }
  const scopes = published.scopes_supported?.join(" ");
  return { resource, ...(scopes === undefined ? {} : { scopes }) };
}

async function refusedBy(issuer: string, work: () => Promise<Grant>): Promise<Grant> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AccessRefused) throw cause;
    throw new AccessRefused(`the authorization server ${issuer} gives no token: ${textOf(cause)}`, {
      cause,
    });
  }
}

/**
 * Only the error members that the standard defines; other text of the authorization server may
 * repeat a secret.
 */
function textOf(error: unknown): string {
  if (error instanceof OAuthError) {
    const isStandard = !error.message.includes("Raw body");
    return isStandard
      ? `${error.code}, ${shortened(error.message)}`
      : "its answer is no OAuth error";
  }
  return error instanceof Error && error.name === "TimeoutError"
    ? "it took too long"
    : "it cannot be asked";
}
