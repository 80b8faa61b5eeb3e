import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { METERED_ORGANIZATIONS_MAX } from "./limits.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";
import { TokenBuckets } from "../kernel/token-buckets.js";

/** Limits of one organization on one server. */
export interface QuotaLimits {
  readonly requestsPerSecond: number;
  /** Maximum number of concurrent requests to execute a step. */
  readonly stepsMax: number;
  /** Maximum number of open event streams. */
  readonly streamsMax: number;
}

/** The quota that a request counts against while it runs. */
export type Share = "step" | "stream";

/** The retry delay for an organization that has reached its limit of steps or streams, in ms. */
const RETRY_AFTER_MS = 1000;

/**
 * Limits the requests of each organization, so that others do not have to wait. It applies to both
 * protocols: a request is counted as soon as its caller is authenticated, before its body is read.
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

  /**
   * Counts a request. @throws AppError `QUOTA_EXCEEDED` with the retry delay when there were too
   * many.
   */
  countRequest(orgId: string): void {
    const waitMs = this.#requests.take(orgId);
    if (waitMs === 0) return;
    const message =
      `Your organization sends more than ${this.#limits.requestsPerSecond} requests a second ` +
      "(SERVICE_ORG_REQUESTS_PER_SECOND): wait, and send fewer";
    throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs: waitMs });
  }

  /**
   * Takes one place. @returns a function that frees it; repeated calls are harmless.
   * @throws AppError `QUOTA_EXCEEDED` when the organization has reached its limit.
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
