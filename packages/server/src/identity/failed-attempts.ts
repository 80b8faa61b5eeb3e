import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  FAILED_ATTEMPT_PEERS_MAX,
  FAILED_ATTEMPTS_MAX,
  FAILED_ATTEMPTS_WINDOW_MS,
} from "@steward/kernel/limits.js";
import type { Log } from "@steward/kernel/log.js";

/** Wrong credentials of one address since its window began. */
interface Failures {
  readonly sinceMs: number;
  count: number;
}

/**
 * Counts the wrong credentials that come from each address, and refuses further ones for the rest of a
 * minute once there were too many: guessing costs the verification of signatures, and lines in the log.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #log: Log;
  /** By network, the one whose window began first at the front. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** @throws AppError `QUOTA_EXCEEDED` with the time to wait, after too many failures of this address. */
  assertAllowed(peerAddress: string): void {
    const failures = this.#current(networkOf(peerAddress));
    if (failures === undefined || failures.count < FAILED_ATTEMPTS_MAX) return;
    throw new AppError(
      "QUOTA_EXCEEDED",
      "Too many wrong credentials came from this address; wait, then send a correct one",
      { retryAfterMs: failures.sinceMs + FAILED_ATTEMPTS_WINDOW_MS - this.#clock.nowMs() },
    );
  }

  /** Notes a failure; what is logged of it is the refusal, never the credential. */
  failed(peerAddress: string, refusal: AppError): void {
    const network = networkOf(peerAddress);
    const failures = this.#current(network) ?? { sinceMs: this.#clock.nowMs(), count: 0 };
    failures.count += 1;
    if (failures.count <= FAILED_ATTEMPTS_MAX) {
      this.#log.warn({ peerAddress, reason: refusal.message }, "authentication failed");
    }
    this.#failures.set(network, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > FAILED_ATTEMPT_PEERS_MAX && oldest !== undefined) {
      this.#failures.delete(oldest);
    }
  }

  #current(network: string): Failures | undefined {
    const failures = this.#failures.get(network);
    if (failures === undefined) return undefined;
    if (this.#clock.nowMs() < failures.sinceMs + FAILED_ATTEMPTS_WINDOW_MS) return failures;
    this.#failures.delete(network);
    return undefined;
  }
}

/** An IPv4 address; of an IPv6 address the first 64 bits, which one subscriber usually has alone. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = ""] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  return [...groups, "0", "0", "0", "0"].slice(0, 4).join(":");
}
