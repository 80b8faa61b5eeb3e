import type { Clock } from "./clock.js";
import { RecentMap } from "./recent-map.js";

/** Tokens of one party, and when they were counted last. */
interface Bucket {
  tokens: number;
  countedAtMs: number;
}

/**
 * A token bucket for each party: it fills at a steady rate up to what comes in a second, and each request takes a token.
 * A party that has not asked for long is forgotten, which fills its bucket.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #buckets: RecentMap<Bucket>;

  /** @param partiesMax parties whose buckets are kept. */
  constructor(perSecond: number, partiesMax: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#buckets = new RecentMap(partiesMax);
  }

  /** Takes a token of this party. @returns how long until there is one, in ms; 0 when it was taken. */
  take(party: string): number {
    const nowMs = this.#clock.nowMs();
    const full = (): Bucket => ({ tokens: this.#perSecond, countedAtMs: nowMs });
    const bucket = this.#buckets.getOrMake(party, full);
    // The clock may have been set back.
    const elapsedMs = Math.max(0, nowMs - bucket.countedAtMs);
    const tokens = bucket.tokens + (elapsedMs / 1000) * this.#perSecond;
    bucket.countedAtMs = nowMs;
    bucket.tokens = Math.min(tokens, this.#perSecond);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / this.#perSecond) * 1000);
    bucket.tokens -= 1;
    return 0;
  }
}
