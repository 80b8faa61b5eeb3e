import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "./backoff.js";

const backoffs = fc.record({
  baseMs: fc.integer({ min: 1, max: 10_000 }),
  capMs: fc.integer({ min: 1, max: 100_000 }),
});

describe("the pause after failures", () => {
  it("is a whole number of ms below a ceiling that doubles up to a cap, also after a thousand failures", () => {
    const failures = fc.integer({ min: 1, max: 2000 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(backoffs, failures, random, (backoff, count, part) => {
        const ms = backoffMs(backoff, count, part);
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThan(Math.min(backoff.baseMs * 2 ** (count - 1), backoff.capMs));
      }),
    );
  });

  it("spreads over the whole time, so that processes do not come back together", () => {
    const backoff = { baseMs: 100, capMs: 10_000 };
    expect([0, 0.25, 0.5, 0.999].map((random) => backoffMs(backoff, 3, random))).toEqual([
      0, 100, 200, 399,
    ]);
  });
});
