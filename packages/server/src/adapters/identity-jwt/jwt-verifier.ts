import { errors, jwtVerify, type JWTPayload } from "jose";
import type { Clock } from "../../kernel/clock.js";
import { AppError } from "../../kernel/errors.js";
import type { Verified, VerifyCredential } from "../../identity/index.js";
import { principalOf, type ClaimNames } from "./claims.js";
import { IssuerKeys } from "./issuer-keys.js";

/** Which tokens are taken, and what is read from them. */
export interface JwtOptions {
  /** As it stands in `iss`. */
  readonly issuer: string;
  /** Any of these must be in `aud`. */
  readonly audiences: readonly string[];
  /** Where the issuer's public keys are; absent: its discovery document says. */
  readonly jwksUrl?: string;
  /** JWS algorithms (RFC 7518 §3.1), asymmetric ones only. */
  readonly algorithms: readonly string[];
  /** How far the issuer's clock and ours may differ, in milliseconds. */
  readonly clockSkewMs: number;
  readonly claims: ClaimNames;
  readonly clock: Clock;
  /** Milliseconds after a fetch of the keys before an unknown key has them fetched again. */
  readonly cooldownMs?: number;
}

/** Longest time for which a token is believed without verifying it again: a withdrawn key counts by then. */
const TRUST_MS_MAX = 60_000;

/** Verifies tokens, and has the issuer's keys read anew when asked to. */
export interface JwtVerifier {
  readonly verify: VerifyCredential;
  readonly reload: () => void;
}

/** Verifies signature, issuer, audience and times of tokens (RFC 7519 §4.1, RFC 8725). */
export function jwtVerifier(options: JwtOptions): JwtVerifier {
  const { issuer, clock, clockSkewMs } = options;
  const keys = new IssuerKeys(options);
  const expected = {
    issuer,
    audience: [...options.audiences],
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

function expiryMs({ exp = 0 }: JWTPayload): number {
  return exp * 1000;
}

/** What the client is told; the token is never repeated. */
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
  if (error instanceof errors.JOSEAlgNotAllowed) return "its algorithm is not one of those taken";
  if (error instanceof errors.JWKSNoMatchingKey) return "its issuer has no such key";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature is wrong";
  return "it is not a signed JSON Web Token";
}
