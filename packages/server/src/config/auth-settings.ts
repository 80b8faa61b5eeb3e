import { isUuid } from "@steward/kernel/ids.js";
import {
  addressRanges,
  integer,
  listOf,
  namedParts,
  secrets,
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
  readonly organization: Setting<string>;
}

/** The identity fields that a token's claims can provide. */
type ClaimName = "org" | "user" | "agent" | "roles" | "permissions";

/** Upper bound of the clock skew: an older token counts as expired. */
const CLOCK_SKEW_MS_MAX = 5 * 60 * 1000;

export const AUTH_SETTINGS: AuthSettings = {
  auth: {
    name: "SERVICE_AUTH",
    flag: "auth",
    type: listOf(["headers", "jwt", "apikey", "mtls"]),
    default: "headers",
    help:
      "How callers are known, one or several of: headers believes x-org-id, x-user-role and their like; jwt verifies " +
      "JSON Web Tokens of an OpenID provider; apikey takes the keys of `steward key create`; mtls takes client certificates.",
  },
  trustedProxies: {
    name: "SERVICE_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    type: addressRanges,
    help: "Proxies whose identity headers are believed.",
  },
  proxySecret: {
    name: "SERVICE_PROXY_SECRET",
    type: secrets,
    help: "What a trusted proxy sends as x-proxy-secret; two are both taken while one replaces the other.",
    mask: () => "***",
  },
  jwtIssuer: {
    name: "SERVICE_JWT_ISSUER",
    flag: "jwt-issuer",
    type: trustedUrl("https://login.example.com/tenant"),
    help: "The OpenID provider whose tokens are taken, as their claim iss names it.",
  },
  jwtAudience: {
    name: "SERVICE_JWT_AUDIENCE",
    flag: "jwt-audience",
    type: texts("names separated by commas", "audience", "https://steward.example.com"),
    help: "Who tokens must be meant for: their claim aud names one of these.",
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
    help: "Signature algorithms of tokens that are taken.",
  },
  jwtClaims: {
    name: "SERVICE_JWT_CLAIMS",
    flag: "jwt-claims",
    type: namedParts(
      ["org", "user", "agent", "roles", "permissions"],
      "org=tenant_id,roles=groups",
    ),
    help:
      "Which claims say what, where that differs from " +
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
  organization: {
    name: "SERVICE_ORGANIZATION",
    flag: "organization",
    type: {
      shape: "the id of an organization, a UUID",
      placeholder: "uuid",
      example: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11",
      parse: (value) => (isUuid(value) ? value.toLowerCase() : undefined),
    },
    help:
      "The only organization of this service: data sources that the tools file binds to none are open to it alone. " +
      "Unset: they are open where nobody vouches for who callers are, and else to nobody.",
  },
};
