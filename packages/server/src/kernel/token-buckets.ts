import type { Clock } from "@steward/kernel/clock.js";
import { RecentMap } from "@steward/kernel/recent-map.js";

/** A party's tokens, as of the time when they were last counted. */
interface Bucket {
  tokens: number;
  countedAtMs: number;
}

/**
 * Rate limiter with a token bucket per party. A bucket refills at a steady rate and holds the
 * tokens of one second; each request takes one token. The bucket of the least recently active party
 * is evicted, which amounts to refilling it.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #buckets: RecentMap<Bucket>;

  /** @param partiesMax buckets held in memory. */
  constructor(perSecond: number, partiesMax: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#buckets = new RecentMap(partiesMax);
  }

  /**
   * Takes one token of this party.
   * @returns 0 when a token was available, else the time until one is, in ms.
   */
  take(party: string): number {
    const nowMs = this.#clock.nowMs();
    const full = (): Bucket => ({ tokens: this.#perSecond, countedAtMs: nowMs });
    const bucket = this.#buckets.getOrMake(party, full);
    // The system clock may have been set back.
    const elapsedMs = Math.max(0, nowMs - bucket.countedAtMs);
    const tokens = bucket.tokens + (elapsedMs / 1000) * this.#perSecond;
    bucket.countedAtMs = nowMs;
    bucket.tokens = Math.min(tokens, this.#perSecond);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / this.#perSecond) * 1000);
    bucket.tokens -= 1;
    return 0;
  }
}
