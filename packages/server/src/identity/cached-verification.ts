import { hash } from "node:crypto";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { VERIFIED_CREDENTIALS_MAX } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { FailedAttempts } from "./failed-attempts.js";
import type { Verified, VerifyCredential } from "./principal.js";

/** Dependencies of the cache. */
export interface CachedVerificationOptions {
  readonly clock: Clock;
  readonly attempts: FailedAttempts;
  /** The cache key of a credential; by default its SHA-256. */
  readonly keyOf?: (credential: string) => string;
}

/**
 * Caches verifications: a valid credential is not verified again for as long as its verification
 * says, and attempts with unknown credentials are limited by address. A credential that was valid
 * before is always verified, even from an address with too many failures. Concurrent requests with
 * the same credential share one verification. A long-lived credential is stored as its SHA-256, so
 * that the process's memory does not contain it.
 */
export function cachedVerification(
  verify: VerifyCredential,
  { clock, attempts, keyOf = sha256 }: CachedVerificationOptions,
): VerifyCredential {
  const known = new RecentMap<Verified>(VERIFIED_CREDENTIALS_MAX);
  const pending = new Map<string, Promise<Verified>>();

  const learn = async (credential: string, peerAddress: string, key: string) => {
    try {
      if (!known.has(key)) attempts.assertAllowed(peerAddress);
      const verified = await verify(credential, peerAddress);
      known.set(key, verified);
      return verified;
    } catch (error) {
      if (error instanceof AppError && error.code === "UNAUTHENTICATED") {
        known.delete(key);
        attempts.failed(peerAddress, error);
      }
      throw error;
    }
  };

  return (credential, peerAddress) => {
    const key = keyOf(credential);
    const verified = known.get(key);
    if (verified !== undefined && clock.nowMs() < verified.untilMs) {
      return Promise.resolve(verified);
    }
    const underWay = pending.get(key);
    if (underWay !== undefined) return underWay;
    const learning = learn(credential, peerAddress, key);
    pending.set(key, learning);
    const done = (): void => void pending.delete(key);
    learning.then(done, done);
    return learning;
  };
}

function sha256(credential: string): string {
  return hash("sha256", credential, "base64");
}
