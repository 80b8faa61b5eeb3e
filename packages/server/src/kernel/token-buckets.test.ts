import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenBuckets } from "./token-buckets.js";

/** Buckets whose time the test owns. */
function bucketsOf(perSecond: number, partiesMax = 10) {
  const clock = { now: 1_000_000, nowMs: () => clock.now };
  return { clock, buckets: new TokenBuckets(perSecond, partiesMax, clock) };
}

describe("a token bucket", () => {
  it("gives no more in any time than it holds and what comes in", () => {
    const requests = fc.array(fc.nat(400), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), requests, (perSecond, pausesMs) => {
        const { clock, buckets } = bucketsOf(perSecond);
        const takenAtMs: number[] = [];
        for (const pauseMs of pausesMs) {
          clock.now += pauseMs;
          if (buckets.take("a") === 0) takenAtMs.push(clock.now);
        }
        for (const [index, fromMs] of takenAtMs.entries()) {
          const since = takenAtMs.slice(index);
          const elapsedMs = (since.at(-1) ?? fromMs) - fromMs;
          expect(since.length).toBeLessThanOrEqual(
            perSecond + (elapsedMs / 1000) * perSecond + 1e-6,
          );
        }
      }),
    );
  });

  it("says how long until there is a token, and there is one then", () => {
    const { clock, buckets } = bucketsOf(3);
    for (let taken = 0; taken < 3; taken += 1) expect(buckets.take("a")).toBe(0);
    const waitMs = buckets.take("a");
    expect(waitMs).toBe(334);
    clock.now += waitMs - 1;
    expect(buckets.take("a")).toBe(1);
    clock.now += 1;
    expect(buckets.take("a")).toBe(0);
  });

  it("is each party's own", () => {
    const { buckets } = bucketsOf(1);
    expect(buckets.take("a")).toBe(0);
    expect(buckets.take("a")).toBeGreaterThan(0);
    expect(buckets.take("b")).toBe(0);
  });

  it("is forgotten when too many others have asked since", () => {
    const { buckets } = bucketsOf(1, 2);
    buckets.take("a");
    buckets.take("b");
    buckets.take("c");
    expect(buckets.take("a")).toBe(0);
  });

  it("does not lose tokens when the clock is set back", () => {
    const { clock, buckets } = bucketsOf(2);
    buckets.take("a");
    clock.now -= 60_000;
    expect(buckets.take("a")).toBe(0);
    clock.now += 500;
    expect(buckets.take("a")).toBe(0);
  });
});
