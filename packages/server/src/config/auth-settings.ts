import { setting } from "./setting.js";
import {
  claimNames,
  isAddressRange,
  listOf,
  milliseconds,
  organizationIds,
  readableFile,
  text,
  texts,
  trustedUrl,
} from "./setting-types.js";

/** Upper bound of the clock skew: an older token counts as expired. */
const CLOCK_SKEW_MS_MAX = 5 * 60 * 1000;

/** Visible ASCII. */
const PRINTABLE = /^[\x21-\x7e]{1,1024}$/;

const ALGORITHMS: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** The claims that identify a caller. */
const CLAIMS = {
  org: "org_id",
  user: "sub",
  agent: "act.sub",
  roles: "roles",
  permissions: "permissions",
};
const CLAIMS_TEXT = Object.entries(CLAIMS)
  .map((named) => named.join("="))
  .join();

const addressRanges = texts(isAddressRange, {
  shape: "IP addresses or CIDR ranges separated by commas",
  placeholder: "ranges",
});

const proxySecrets = texts(
  // Visible ASCII characters except the comma.
  (part) => /^[\x21-\x2b\x2d-\x7e]{16,}$/.test(part),
  {
    shape:
      "at least 16 printable characters without spaces or commas, or two such secrets separated by a comma",
    placeholder: "secret",
    max: 2,
  },
);

/** The authentication of callers (Decision §2). */
export const AUTH_SETTINGS = {
  modes: setting("SERVICE_AUTH", listOf(["headers", "jwt", "apikey", "mtls"]), {
    default: "headers",
    help:
      "How callers are authenticated, one or several of: headers trusts x-org-id, x-user-role and the other identity headers; jwt verifies " +
      "JSON Web Tokens of an OpenID provider; apikey accepts keys made by `steward key create`; mtls accepts client certificates.",
  }),
  trustedProxies: setting("SERVICE_TRUSTED_PROXIES", addressRanges, {
    example: "10.0.0.0/8,192.0.2.7",
    help:
      "Proxies that are trusted: in the mode headers their identity headers name the caller, and in every mode the client's address " +
      "is read from their X-Forwarded-For.",
  }),
  proxySecrets: setting("SERVICE_PROXY_SECRET", proxySecrets, {
    secret: true,
    example: "the output of `openssl rand -hex 32`",
    help: "The secret that a trusted proxy sends as x-proxy-secret; during a rotation, both the old and the new one.",
  }),
  jwt: {
    issuer: setting("SERVICE_JWT_ISSUER", trustedUrl, {
      example: "https://login.example.com/tenant",
      help: "The OpenID provider whose tokens are accepted, as in their claim iss.",
    }),
    audiences: setting(
      "SERVICE_JWT_AUDIENCE",
      texts((part) => part !== "", { shape: "names separated by commas", placeholder: "audience" }),
      {
        example: "https://steward.example.com",
        help: "The audience: the claim aud of a token must name one of these.",
      },
    ),
    jwksUrl: setting("SERVICE_JWT_JWKS_URL", trustedUrl, {
      example: "https://login.example.com/keys",
      help: "URL of the issuer's keys. Unset: the one in its OpenID discovery document.",
    }),
    algorithms: setting("SERVICE_JWT_ALGORITHMS", listOf(ALGORITHMS), {
      default: "RS256,PS256,ES256,EdDSA",
      help: "Signature algorithms that are accepted in tokens.",
    }),
    claims: setting("SERVICE_JWT_CLAIMS", claimNames(CLAIMS), {
      example: "org=tenant_id,roles=groups",
      whenUnset: CLAIMS,
      help: `Names of the claims, where they differ from ${CLAIMS_TEXT}.`,
    }),
    clockSkewMs: setting("SERVICE_JWT_CLOCK_SKEW_MS", milliseconds(0, CLOCK_SKEW_MS_MAX), {
      default: 30_000,
      help: "How far the issuer's clock may differ from this machine's, in milliseconds.",
    }),
  },
  openid: {
    clientId: setting(
      "SERVICE_OPENID_CLIENT_ID",
      text(PRINTABLE, { shape: "a client id", placeholder: "id" }),
      {
        example: "steward",
        help:
          "Id of this service as a client of the OpenID provider, at which people then sign in to the console; the redirect " +
          "URI is the service's address with /auth/callback.",
      },
    ),
    clientSecret: setting(
      "SERVICE_OPENID_CLIENT_SECRET",
      text(PRINTABLE, {
        shape: "a client secret of printable ASCII characters without blanks",
        placeholder: "secret",
      }),
      {
        secret: true,
        example: "…",
        help: "The client's secret; unset: the provider knows the service as a public client.",
      },
    ),
  },
  operatorOrganizations: setting("SERVICE_OPERATOR_ORGANIZATIONS", organizationIds, {
    help:
      "Organizations whose callers may have the role operator from a token or a trusted proxy; in others that role " +
      "counts for nothing. API keys and client certificates have it without this setting, because the operator makes them.",
  }),
  mtlsClients: setting("SERVICE_MTLS_CLIENTS", readableFile, {
    example: "./clients.yaml",
    help: "YAML file that maps client certificates to callers (SERVICE_AUTH=mtls).",
  }),
};
