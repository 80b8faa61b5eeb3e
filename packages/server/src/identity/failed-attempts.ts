import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  FAILED_ATTEMPT_PEERS_MAX,
  FAILED_ATTEMPTS_MAX,
  FAILED_ATTEMPTS_WINDOW_MS,
} from "./limits.js";
import type { Log } from "@steward/kernel/log.js";

/** Wrong credentials of one address in its present window. */
interface Failures {
  readonly sinceMs: number;
  count: number;
}

/**
 * Counts wrong credentials by address and, after too many, refuses further ones for the rest of a
 * minute, because each guess costs the verification of a signature and a line in the log.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #log: Log;
  /** By network, oldest window first. */
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

  /** Records a failure. The log gets the refusal, never the credential. */
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

/**
 * An IPv4 address, or the first 64 bits of an IPv6 address, which usually belong to one subscriber.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = ""] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  return [...groups, "0", "0", "0", "0"].slice(0, 4).join(":");
}
