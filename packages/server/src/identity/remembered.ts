import { createHash } from "node:crypto";
import type { Clock } from "../kernel/clock.js";
import { VERIFIED_CREDENTIALS_MAX } from "../kernel/limits.js";
import type { Verified, VerifyCredential } from "./principal.js";

/**
 * The same verification, but a credential that was found right is not verified again for as long as
 * the verification says. Requests that show one credential at the same time share its verification. It is
 * kept by its SHA-256, so that the memory of the process holds no credential.
 */
export function remembered(verify: VerifyCredential, clock: Clock): VerifyCredential {
  /** By digest, the longest known first. */
  const known = new Map<string, Verified>();
  const pending = new Map<string, Promise<Verified>>();

  const learn = async (credential: string, digest: string): Promise<Verified> => {
    try {
      const verified = await verify(credential);
      known.delete(digest);
      known.set(digest, verified);
      dropOldest(known);
      return verified;
    } finally {
      pending.delete(digest);
    }
  };

  return (credential) => {
    const digest = createHash("sha256").update(credential).digest("base64");
    const verified = known.get(digest);
    if (verified !== undefined && clock.nowMs() < verified.untilMs) {
      return Promise.resolve(verified);
    }
    const learning = pending.get(digest) ?? learn(credential, digest);
    pending.set(digest, learning);
    return learning;
  };
}

function dropOldest(known: Map<string, Verified>): void {
  const [oldest] = known.keys();
  if (known.size > VERIFIED_CREDENTIALS_MAX && oldest !== undefined) known.delete(oldest);
}
