import { hash } from "node:crypto";
import type { Clock } from "@steward/kernel/clock.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { AppError } from "@steward/kernel/errors.js";
import { VERIFIED_CREDENTIALS_MAX } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import { networkOf } from "./client-network.js";
import type { FailedAttempts } from "./failed-attempts.js";
import type { Verified, VerifyCredential } from "./principal.js";

/** Dependencies of the cache. */
export interface CachedVerificationOptions {
  readonly clock: Clock;
  readonly attempts: FailedAttempts;
  /** The cache key of a credential; by default its SHA-256. */
  readonly keyOf?: (credential: string) => string;
  /** The credential without its secret, by which failures are counted; absent: it is all secret. */
  readonly claimOf?: (credential: string) => string | undefined;
  /** Bounds verifications of credentials that were not seen before, fair by network; absent: no bound. */
  readonly lookups?: FairSemaphore;
}

/**
 * Caches verifications: a valid credential is not verified again for as long as its verification
 * says. Every credential is verified, so that a right one passes whatever others send, and only then
 * the failure of a wrong one is counted and limited. A credential that was valid before does not wait
 * behind unknown ones. Concurrent requests with the same credential share one verification. A
 * long-lived credential is stored as its SHA-256, so that the process's memory does not contain it.
 */
export function cachedVerification(
  verify: VerifyCredential,
  { clock, attempts, keyOf = sha256, claimOf, lookups }: CachedVerificationOptions,
): VerifyCredential {
  const known = new RecentMap<Verified>(VERIFIED_CREDENTIALS_MAX);
  const pending = new Map<string, Promise<Verified>>();

  const learn = async (credential: string, clientAddress: string, key: string) => {
    const ask = (): Promise<Verified> => verify(credential, clientAddress);
    try {
      const isUnbounded = lookups === undefined || known.has(key);
      const verified = await (isUnbounded ? ask() : lookups.run(networkOf(clientAddress), ask));
      known.set(key, verified);
      return verified;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
      known.delete(key);
      throw attempts.refused(error, { clientAddress, claim: claimOf?.(credential) });
    }
  };

  return (credential, clientAddress) => {
    const key = keyOf(credential);
    const verified = known.get(key);
    if (verified !== undefined && clock.nowMs() < verified.untilMs) {
      return Promise.resolve(verified);
    }
    const underWay = pending.get(key);
    if (underWay !== undefined) return sharedResult(underWay, key);
    const learning = learn(credential, clientAddress, key);
    pending.set(key, learning);
    const done = (): void => void pending.delete(key);
    learning.then(done, done);
    return learning;
  };
}

function sha256(credential: string): string {
  return hash("sha256", credential, "base64");
}
