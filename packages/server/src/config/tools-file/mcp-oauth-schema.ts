import { createPrivateKey } from "node:crypto";
import type { z } from "zod";
import type { McpOAuth } from "../../governance/index.js";
import { present } from "../../kernel/present.js";
import { isTrustedUrl } from "../setting-types.js";
import { entry, text, wordOf } from "./schema-parts.js";

const optional = text("a text").min(1, "must be a text").exactOptional();

/** The key `oauth` of an entry of `mcp_servers`. */
export const mcpOAuthSchema = entry({
  grant: wordOf(["authorization_code", "client_credentials"]),
  issuer: optional,
  client_id: optional,
  client_secret: optional,
  private_key: optional,
  refresh_token: optional,
  scope: optional,
});

export type McpOAuthEntry = z.infer<typeof mcpOAuthSchema>;

/**
 * Combinations that make no sense, as texts after the key `oauth`.
 * @param entry with the environment's values.
 */
export function oauthMistakes(entry: McpOAuthEntry): readonly string[] {
  const { grant, issuer, client_id, client_secret, private_key, refresh_token } = entry;
  const isByItself = grant === "client_credentials";
  const proofs = [client_secret, private_key].filter((proof) => proof !== undefined);
  const secrets = [...proofs, refresh_token].filter((secret) => secret !== undefined);
  const rules: readonly (readonly [isBroken: boolean, mistake: string])[] = [
    [
      issuer !== undefined && !isIssuer(issuer),
      "has an issuer that is no https URL without a query",
    ],
    // An MCP server names its authorization server itself, and is not trusted with the choice.
    [secrets.length > 0 && issuer === undefined, "needs the issuer that its secrets are for"],
    [secrets.length > 0 && client_id === undefined, "needs the client_id that its secrets are for"],
    [isByItself && proofs.length !== 1, "needs a client_secret, or a private_key, and not both"],
    [
      isByItself && refresh_token !== undefined,
      "has a refresh_token, which this grant has none of",
    ],
    [
      !isByItself && private_key !== undefined,
      "has a private_key, which only client_credentials uses",
    ],
    [
      private_key !== undefined && !isPrivateKey(private_key),
      "has a private_key that is no private key in PEM",
    ],
  ];
  return rules.flatMap(([isBroken, mistake]) => (isBroken ? [mistake] : []));
}

/** @param entry with the environment's values. */
export function toMcpOAuth({ grant, issuer, scope, ...client }: McpOAuthEntry): McpOAuth {
  return {
    grant,
    ...present({
      issuer,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      privateKey: client.private_key,
      refreshToken: client.refresh_token,
      scope,
    }),
  };
}

/** RFC 8414 §2; plain http is for authorization servers on this machine. */
function isIssuer(given: string): boolean {
  if (!isTrustedUrl(given)) return false;
  const { search, hash } = new URL(given);
  return `${search}${hash}` === "";
}

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
}
