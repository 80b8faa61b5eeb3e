import { hash } from "node:crypto";
import { errors, jwtVerify, type JWTPayload } from "jose";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Verified, VerifyCredential } from "../../identity/index.js";
import { principalOf, type ClaimNames } from "./claims.js";
import { IssuerKeys } from "./issuer-keys.js";

/** Which tokens are accepted, and which claims are read. */
export interface JwtOptions {
  /** The required value of `iss`. */
  readonly issuer: string;
  /** `aud` must contain one of these. */
  readonly audiences: readonly string[];
  /** URL of the issuer's public keys; absent: taken from the discovery document. */
  readonly jwksUrl?: string;
  /** JWS algorithms (RFC 7518 §3.1), asymmetric ones only. */
  readonly algorithms: readonly string[];
  /** Tolerated difference between the issuer's clock and this machine's, in ms. */
  readonly clockSkewMs: number;
  readonly claims: ClaimNames;
  readonly clock: Clock;
  /** Minimum interval between fetches caused by unknown keys, in ms. */
  readonly cooldownMs?: number;
}

/**
 * Longest time for which a verified token is cached. A withdrawn key is noticed within this time.
 */
const TRUST_MS_MAX = 60_000;

/**
 * A digest of what a token says, without its signature: tokens that claim the same are counted
 * together when they are wrong.
 */
export function tokenClaim(token: string): string {
  return hash("sha256", token.slice(0, Math.max(0, token.lastIndexOf("."))), "base64");
}

/** Verifies tokens, and reloads the issuer's keys on request. */
export interface JwtVerifier {
  readonly verify: VerifyCredential;
  readonly reload: () => void;
}

/**
 * Creates a verifier of signature, issuer, audience and validity period (RFC 7519 §4.1, RFC 8725).
 */
export function jwtVerifier(options: JwtOptions): JwtVerifier {
  const { issuer, clock, clockSkewMs } = options;
  const keys = new IssuerKeys(options);
  const expected = {
    issuer,
    audience: options.audiences.flatMap(spellings),
    algorithms: [...options.algorithms],
    clockTolerance: clockSkewMs / 1000,
    requiredClaims: ["exp"],
  };
  const verify = async (token: string): Promise<Verified> => {
    const nowMs = clock.nowMs();
    try {
      const key = await keys.lookup();
      const { payload } = await jwtVerify(token, key, {
        ...expected,
        currentDate: new Date(nowMs),
      });
      return {
        principal: principalOf(payload, options.claims),
        untilMs: Math.min(expiryMs(payload) + clockSkewMs, nowMs + TRUST_MS_MAX),
      };
    } catch (error) {
      throw asRefusal(error);
    }
  };
  return {
    verify,
    reload: () => {
      keys.forget();
    },
  };
}

/**
 * An audience, and for the root of a site the other spelling of the same URL (RFC 3986 §6.2.3). Some clients of MCP
 * ask the issuer for `https://steward.example.com/` when the metadata says `https://steward.example.com`, and the
 * issuer repeats what it was asked for.
 */
function spellings(audience: string): readonly string[] {
  const [, origin] = /^(https?:\/\/[^/?#]+)\/?$/.exec(audience) ?? [];
  return origin === undefined ? [audience] : [origin, `${origin}/`];
}

function expiryMs({ exp = 0 }: JWTPayload): number {
  return exp * 1000;
}

/** The error for the client. It never quotes the token. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("UNAUTHENTICATED", `The token is refused: ${reasonOf(error)}`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "it has expired; get a new one";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its claim ${error.claim} is ${error.reason === "missing" ? "missing" : "not the expected one"}`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return "its algorithm is not accepted here";
  if (error instanceof errors.JWKSNoMatchingKey) return "its issuer has no key with this id";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature is wrong";
  return "it is not a signed JSON Web Token";
}
