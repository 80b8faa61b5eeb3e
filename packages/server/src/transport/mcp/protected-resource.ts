import * as z from "zod";
import type { RestApp } from "../rest/rest-app.js";

/** The metadata that MCP clients need to get a token for this server (RFC 9728). */
export interface ProtectedResource {
  /** URL under which clients reach this server. Tokens have it as their audience (RFC 8707). */
  readonly resource: string;
  /** Issuer of the tokens. */
  readonly authorizationServer: string;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/**
 * The resource for which clients request tokens.
 * @param jwt how tokens are verified; absent: no tokens are accepted.
 * @returns `undefined` when no audience is a URL, because a client could not name the resource
 * then.
 */
export function protectedResourceOf(
  jwt: { readonly issuer: string; readonly audiences: readonly string[] } | undefined,
): ProtectedResource | undefined {
  const resource = jwt?.audiences.find(isWebUrl);
  if (jwt === undefined || resource === undefined) return undefined;
  return { resource, authorizationServer: jwt.issuer };
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Serves the metadata without authentication, because a client without a token needs it first. */
export function addProtectedResource(app: RestApp, protectedResource: ProtectedResource): void {
  const { resource, authorizationServer } = protectedResource;
  const metadata = {
    resource,
    authorization_servers: [authorizationServer],
    bearer_methods_supported: ["header"],
    resource_name: "Steward",
  };
  for (const url of [WELL_KNOWN, `${WELL_KNOWN}/mcp`]) {
    app.get(url, { schema: { hide: true, response: { 200: z.looseObject({}) } } }, () => metadata);
  }
}

/**
 * The WWW-Authenticate challenge of a 401 response (RFC 9728 §5.1).
 * @param isWrong whether the request had a credential, which was refused.
 */
export function challenge(
  protectedResource: ProtectedResource | undefined,
  isWrong: boolean,
): string {
  const parameters = [
    ...(isWrong ? ['error="invalid_token"'] : []),
    ...(protectedResource === undefined
      ? []
      : [`resource_metadata="${metadataUrl(protectedResource)}"`]),
  ];
  return ["Bearer", parameters.join(", ")].filter(Boolean).join(" ");
}

/** RFC 9728 §3.1: the path of the resource comes after the well-known one. */
function metadataUrl({ resource }: ProtectedResource): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === "/" ? "" : pathname}`;
}
