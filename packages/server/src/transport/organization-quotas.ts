import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { METERED_ORGANIZATIONS_MAX } from "@steward/kernel/limits.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";
import { TokenBuckets } from "../kernel/token-buckets.js";

/** How much one organization may ask of one server. */
export interface QuotaLimits {
  readonly requestsPerSecond: number;
  /** Requests to execute a step that are under way at once. */
  readonly stepsMax: number;
  /** Event streams that are open at once. */
  readonly streamsMax: number;
}

/** What a request has of its organization's share as long as it lasts. */
export type Share = "step" | "stream";

/** The wait that an organization is told which has as many steps or streams open as it may, in ms. */
const RETRY_AFTER_MS = 1000;

/**
 * Keeps one organization from asking so much that others have to wait. It stands in front of both wires: a request is
 * counted as soon as it is known who sends it, before its body is read.
 */
export class OrganizationQuotas {
  readonly #limits: QuotaLimits;
  readonly #requests: TokenBuckets;
  readonly #shares: Readonly<Record<Share, Tally>>;

  constructor(limits: QuotaLimits, clock: Clock) {
    const { requestsPerSecond, stepsMax, streamsMax } = limits;
    this.#limits = limits;
    this.#requests = new TokenBuckets(requestsPerSecond, METERED_ORGANIZATIONS_MAX, clock);
    this.#shares = { step: new Tally(stepsMax), stream: new Tally(streamsMax) };
  }

  /** Counts a request. @throws AppError `QUOTA_EXCEEDED` with the time to wait when there were too many. */
  countRequest(orgId: string): void {
    const waitMs = this.#requests.take(orgId);
    if (waitMs === 0) return;
    const message =
      `Your organization sends more than ${this.#limits.requestsPerSecond} requests a second ` +
      "(SERVICE_ORG_REQUESTS_PER_SECOND): wait, and send fewer";
    throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs: waitMs });
  }

  /**
   * Takes a share. @returns what gives it back, however often it is called.
   * @throws AppError `QUOTA_EXCEEDED` when the organization has as many as it may.
   */
  take(orgId: string, share: Share): () => void {
    const giveBack = this.#shares[share].enter(orgId);
    if (giveBack !== undefined) return giveBack;
    throw new AppError("QUOTA_EXCEEDED", this.#refusal(share), { retryAfterMs: RETRY_AFTER_MS });
  }

  #refusal(share: Share): string {
    const { stepsMax, streamsMax } = this.#limits;
    switch (share) {
      case "step":
        return `Your organization has ${stepsMax} steps in progress (SERVICE_ORG_STEPS_MAX): wait until one has ended`;
      case "stream":
        return `Your organization has ${streamsMax} event streams open (SERVICE_ORG_STREAMS_MAX): close one first`;
    }
  }
}
