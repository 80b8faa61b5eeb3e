import { hash } from "node:crypto";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { VERIFIED_CREDENTIALS_MAX } from "@steward/kernel/limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { FailedAttempts } from "./failed-attempts.js";
import type { Verified, VerifyCredential } from "./principal.js";

/** What remembering needs to know. */
export interface RememberedOptions {
  readonly clock: Clock;
  readonly attempts: FailedAttempts;
  /** What a credential is kept by: its SHA-256, unless said otherwise. */
  readonly keyOf?: (credential: string) => string;
}

/**
 * The same verification, but a credential that was found right is not verified again for as long as
 * the verification says, and unknown credentials are limited by the address that they come from. One
 * that was right before is no guess: it is verified whatever else comes from its address. Requests that
 * show one credential at the same time share its verification. A credential that is good for long is kept by
 * its SHA-256, so that the memory of the process does not hold it.
 */
export function remembered(
  verify: VerifyCredential,
  { clock, attempts, keyOf = sha256 }: RememberedOptions,
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
