import { isUuid } from "@steward/kernel/ids.js";
import {
  addressRanges,
  integer,
  listOf,
  namedParts,
  secrets,
  text,
  texts,
  trustedUrl,
} from "./setting-types.js";
import type { Setting } from "./settings.js";

/** A way to authenticate callers (Decision §2). */
export type AuthMode = "headers" | "jwt" | "apikey" | "mtls";

/** Settings for the authentication of callers. */
export interface AuthSettings {
  readonly auth: Setting<readonly AuthMode[]>;
  readonly trustedProxies: Setting<readonly string[]>;
  readonly proxySecret: Setting<readonly string[]>;
  readonly jwtIssuer: Setting<string>;
  readonly jwtAudience: Setting<readonly string[]>;
  readonly jwtJwksUrl: Setting<string>;
  readonly jwtAlgorithms: Setting<readonly string[]>;
  readonly jwtClaims: Setting<Partial<Readonly<Record<ClaimName, string>>>>;
  readonly jwtClockSkewMs: Setting<number>;
  readonly openIdClientId: Setting<string>;
  readonly openIdClientSecret: Setting<string>;
  readonly organization: Setting<string>;
  readonly operatorOrganizations: Setting<readonly string[]>;
}

/** The identity fields that a token's claims can provide. */
type ClaimName = "org" | "user" | "agent" | "roles" | "permissions";

/** Upper bound of the clock skew: an older token counts as expired. */
const CLOCK_SKEW_MS_MAX = 5 * 60 * 1000;

const EXAMPLE_ORGANIZATION = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";

/** Visible ASCII. */
const PRINTABLE = /^[\x21-\x7e]{1,1024}$/;

export const AUTH_SETTINGS: AuthSettings = {
  auth: {
    name: "SERVICE_AUTH",
    flag: "auth",
    type: listOf(["headers", "jwt", "apikey", "mtls"]),
    default: "headers",
    help:
      "How callers are authenticated, one or several of: headers trusts x-org-id, x-user-role and the other identity headers; jwt verifies " +
      "JSON Web Tokens of an OpenID provider; apikey accepts keys made by `steward key create`; mtls accepts client certificates.",
  },
  trustedProxies: {
    name: "SERVICE_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    type: addressRanges,
    help:
      "Proxies that are trusted: in the mode headers their identity headers name the caller, and in every mode the client's address " +
      "is read from their X-Forwarded-For.",
  },
  proxySecret: {
    name: "SERVICE_PROXY_SECRET",
    type: secrets,
    help: "The secret that a trusted proxy sends as x-proxy-secret; during a rotation, both the old and the new one.",
    mask: () => "***",
  },
  jwtIssuer: {
    name: "SERVICE_JWT_ISSUER",
    flag: "jwt-issuer",
    type: trustedUrl("https://login.example.com/tenant"),
    help: "The OpenID provider whose tokens are accepted, as in their claim iss.",
  },
  jwtAudience: {
    name: "SERVICE_JWT_AUDIENCE",
    flag: "jwt-audience",
    type: texts("names separated by commas", "audience", "https://steward.example.com"),
    help: "The audience: the claim aud of a token must name one of these.",
  },
  jwtJwksUrl: {
    name: "SERVICE_JWT_JWKS_URL",
    flag: "jwt-jwks-url",
    type: trustedUrl("https://login.example.com/keys"),
    help: "Where the issuer publishes its keys; unset: its OpenID discovery document says.",
  },
  jwtAlgorithms: {
    name: "SERVICE_JWT_ALGORITHMS",
    flag: "jwt-algorithms",
    type: listOf([
      ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
      ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
    ]),
    default: "RS256,PS256,ES256,EdDSA",
    help: "Signature algorithms that are accepted in tokens.",
  },
  jwtClaims: {
    name: "SERVICE_JWT_CLAIMS",
    flag: "jwt-claims",
    type: namedParts(
      ["org", "user", "agent", "roles", "permissions"],
      "org=tenant_id,roles=groups",
    ),
    help:
      "Names of the claims, where they differ from " +
      "org=org_id,user=sub,agent=act.sub,roles=roles,permissions=permissions.",
  },
  jwtClockSkewMs: {
    name: "SERVICE_JWT_CLOCK_SKEW_MS",
    flag: "jwt-clock-skew-ms",
    type: integer({
      min: 0,
      max: CLOCK_SKEW_MS_MAX,
      unit: "milliseconds",
      placeholder: "ms",
      example: "30000",
    }),
    default: "30000",
    help: "How far the issuer's clock may differ from this machine's, in milliseconds.",
  },
  openIdClientId: {
    name: "SERVICE_OPENID_CLIENT_ID",
    flag: "openid-client-id",
    type: text({ shape: "a client id", placeholder: "id", example: "steward", pattern: PRINTABLE }),
    help:
      "Id of this service as a client of the OpenID provider, at which people then sign in to the console; the redirect " +
      "URI is the service's address with /auth/callback.",
  },
  openIdClientSecret: {
    name: "SERVICE_OPENID_CLIENT_SECRET",
    type: text({
      ...{
        shape: "a client secret of printable ASCII characters without blanks",
        placeholder: "secret",
        example: "…",
        pattern: PRINTABLE,
      },
    }),
    help: "The client's secret; unset: the provider knows the service as a public client.",
    mask: () => "***",
  },
  organization: {
    name: "SERVICE_ORGANIZATION",
    flag: "organization",
    type: {
      shape: "the id of an organization, a UUID",
      placeholder: "uuid",
      example: EXAMPLE_ORGANIZATION,
      parse: (value) => (isUuid(value) ? value.toLowerCase() : undefined),
    },
    help:
      "The only organization of this service: data sources that the tools file binds to no organization are open to " +
      "it alone. Unset: such data sources are open to everybody while callers are not authenticated, and to nobody " +
      "otherwise.",
  },
  operatorOrganizations: {
    name: "SERVICE_OPERATOR_ORGANIZATIONS",
    flag: "operator-organizations",
    type: {
      shape: "ids of organizations, UUIDs separated by commas",
      placeholder: "uuids",
      example: EXAMPLE_ORGANIZATION,
      parse: (value) => {
        const ids = value.split(",").map((id) => id.trim().toLowerCase());
        return ids.every(isUuid) ? ids : undefined;
      },
    },
    help:
      "Organizations whose callers may have the role operator from a token or a trusted proxy; in others that role " +
      "counts for nothing. API keys and client certificates have it without this setting, because the operator makes them.",
  },
};
