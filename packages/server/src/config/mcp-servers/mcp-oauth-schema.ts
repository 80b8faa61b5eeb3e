import { createPrivateKey } from "node:crypto";
import { z } from "zod";
import type { McpOAuth } from "../../governance/index.js";
import { unknownKey } from "../unknown-key.js";

const GRANTS = ["authorization_code", "client_credentials"] as const;
const KEYS = [
  ...["grant", "issuer", "client_id", "client_secret"],
  ...["private_key", "refresh_token", "scope"],
];

const text = z.string({ error: "must be a text" }).min(1, "must be a text").exactOptional();

/** The key `oauth` of an entry of `mcp_servers`. */
export interface McpOAuthEntry {
  readonly grant: McpOAuth["grant"];
  readonly issuer?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key?: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

export const mcpOAuthSchema: z.ZodType<McpOAuthEntry> = z.strictObject(
  {
    grant: z.enum(GRANTS, { error: `must be one of ${GRANTS.join(", ")}` }),
    issuer: text,
    client_id: text,
    client_secret: text,
    private_key: text,
    refresh_token: text,
    scope: text,
  },
  { error: unknownKey(KEYS) },
);

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
export function toMcpOAuth(entry: McpOAuthEntry): McpOAuth {
  const { grant, issuer, client_id, client_secret, private_key, refresh_token, scope } = entry;
  return {
    grant,
    ...(issuer === undefined ? {} : { issuer }),
    ...(client_id === undefined ? {} : { clientId: client_id }),
    ...(client_secret === undefined ? {} : { clientSecret: client_secret }),
    ...(private_key === undefined ? {} : { privateKey: private_key }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** RFC 8414 §2; plain http is for authorization servers on this machine. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "" || url.username !== "")
    return false;
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
}

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
}
