import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  FAILED_ATTEMPTS_COUNTED_MAX,
  FAILED_ATTEMPTS_MAX,
  FAILED_ATTEMPTS_WINDOW_MS,
} from "./limits.js";
import type { Log } from "@steward/kernel/log.js";
import { networkOf } from "./client-network.js";

/** Wrong credentials of one address, or for one owner, in the present window. */
interface Failures {
  readonly sinceMs: number;
  count: number;
}

/** Where a wrong credential comes from, and whose it claims to be. */
interface Attempt {
  /** IP address of the client. */
  readonly clientAddress: string;
  /** The credential without its secret, such as the id of an API key; absent: it is all secret. */
  readonly claim?: string | undefined;
}

/**
 * Counts wrong credentials by address and by the owner that they claim. After too many in a minute,
 * further wrong ones are answered with the time to wait, and no longer logged one by one. Only a
 * credential that was verified and found wrong is counted and limited, so that nobody can lock out
 * others who share an address, or the owner of a key.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #log: Log;
  /** By network or by claim, oldest window first. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Counts a refusal. The log gets the refusal, never the credential.
   * @returns the error to answer with: the refusal, or after too many `QUOTA_EXCEEDED` with the time
   * to wait and the reason of the refusal.
   */
  refused(refusal: AppError, { clientAddress, claim }: Attempt): AppError {
    const counts = [
      this.#count(networkOf(clientAddress)),
      ...(claim === undefined ? [] : [this.#count(claim)]),
    ];
    const tooMany = counts.filter(({ count }) => count > FAILED_ATTEMPTS_MAX);
    if (tooMany.length === 0) {
      this.#log.warn({ clientAddress, reason: refusal.message }, "authentication failed");
      return refusal;
    }
    const untilMs = Math.max(...tooMany.map(({ sinceMs }) => sinceMs)) + FAILED_ATTEMPTS_WINDOW_MS;
    return new AppError(
      "QUOTA_EXCEEDED",
      `Too many wrong credentials came from this address or for this owner. This one is wrong too: ${refusal.message}`,
      { retryAfterMs: untilMs - this.#clock.nowMs() },
    );
  }

  #count(key: string): Failures {
    const nowMs = this.#clock.nowMs();
    let failures = this.#failures.get(key);
    if (failures === undefined || nowMs >= failures.sinceMs + FAILED_ATTEMPTS_WINDOW_MS) {
      this.#failures.delete(key);
      failures = { sinceMs: nowMs, count: 0 };
      this.#failures.set(key, failures);
    }
    failures.count += 1;
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > FAILED_ATTEMPTS_COUNTED_MAX && oldest !== undefined) {
      this.#failures.delete(oldest);
    }
    return failures;
  }
}
