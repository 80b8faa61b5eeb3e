import { hash } from "node:crypto";
import type { Clock } from "../kernel/clock.js";
import { AppError } from "../kernel/errors.js";
import { VERIFIED_CREDENTIALS_MAX } from "../kernel/limits.js";
import type { FailedAttempts } from "./failed-attempts.js";
import type { Verified, VerifyCredential } from "./principal.js";

/** What remembering needs to know. */
export interface RememberedOptions {
  readonly clock: Clock;
  readonly attempts: FailedAttempts;
}

/**
 * The same verification, but a credential that was found right is not verified again for as long as
 * the verification says, and unknown credentials are limited by the address that they come from. One
 * that was right before is no guess: it is verified whatever else comes from its address. Requests that
 * show one credential at the same time share its verification. A credential is kept by its SHA-256, so
 * that the memory of the process holds none.
 */
export function remembered(
  verify: VerifyCredential,
  { clock, attempts }: RememberedOptions,
): VerifyCredential {
  /** By digest, the longest known first. */
  const known = new Map<string, Verified>();
  const pending = new Map<string, Promise<Verified>>();

  const learn = async (credential: string, peerAddress: string, digest: string) => {
    try {
      if (!known.has(digest)) attempts.assertAllowed(peerAddress);
      const verified = await verify(credential, peerAddress);
      known.delete(digest);
      known.set(digest, verified);
      dropOldest(known);
      return verified;
    } catch (error) {
      if (error instanceof AppError && error.code === "UNAUTHENTICATED") {
        known.delete(digest);
        attempts.failed(peerAddress, error);
      }
      throw error;
    }
  };

  return (credential, peerAddress) => {
    const digest = hash("sha256", credential, "base64");
    const verified = known.get(digest);
    if (verified !== undefined && clock.nowMs() < verified.untilMs) {
      return Promise.resolve(verified);
    }
    const underWay = pending.get(digest);
    if (underWay !== undefined) return underWay;
    const learning = learn(credential, peerAddress, digest);
    pending.set(digest, learning);
    const done = (): void => void pending.delete(digest);
    learning.then(done, done);
    return learning;
  };
}

function dropOldest(known: Map<string, Verified>): void {
  const [oldest] = known.keys();
  if (known.size > VERIFIED_CREDENTIALS_MAX && oldest !== undefined) known.delete(oldest);
}
