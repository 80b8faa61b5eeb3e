import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cosineTo } from "./cosine.js";

const cosine = (a: Float32Array, b: Float32Array): number => cosineTo(a)(b);

const component = fc.float({ noNaN: true, noDefaultInfinity: true });
const vector = fc.float32Array({
  minLength: 5,
  maxLength: 5,
  noNaN: true,
  noDefaultInfinity: true,
});

describe("cosine", () => {
  it("is 1 for identical, 0 for orthogonal and -1 for anti-aligned vectors (Contract §2.7)", () => {
    expect(cosine(Float32Array.of(3, 4), Float32Array.of(3, 4))).toBe(1);
    expect(cosine(Float32Array.of(1, 0), Float32Array.of(0, 1))).toBe(0);
    expect(cosine(Float32Array.of(3, 4), Float32Array.of(-3, -4))).toBe(-1);
  });

  it("gives any vector exactly 1 with itself and exactly -1 with its opposite", () => {
    fc.assert(
      fc.property(vector, (a) => {
        fc.pre(a.some((value) => value !== 0));
        expect(cosine(a, a)).toBe(1);
        expect(
          cosine(
            a,
            a.map((value) => -value),
          ),
        ).toBe(-1);
      }),
    );
  });

  it("is 0 when either norm is 0 (Decision §12)", () => {
    expect(cosine(new Float32Array(3), Float32Array.of(1, 2, 3))).toBe(0);
    expect(cosine(Float32Array.of(1, 2, 3), new Float32Array(3))).toBe(0);
  });

  it("stays within [-1, 1] and does not depend on which argument is the query", () => {
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const score = cosine(a, b);
        expect(Math.abs(score)).toBeLessThanOrEqual(1);
        expect(cosine(b, a)).toBe(score);
      }),
    );
  });

  it("neither overflows nor underflows at the ends of float32", () => {
    const largest = new Float32Array(1536).fill(3.4028234663852886e38);
    const smallest = new Float32Array(1536).fill(2 ** -149);
    expect(cosine(largest, smallest)).toBe(1);
  });

  it("is NaN, which no score is, when a component is not finite", () => {
    fc.assert(
      fc.property(vector, component, fc.constantFrom(NaN, Infinity, -Infinity), (a, b, odd) => {
        fc.pre(a.some((value) => value !== 0));
        expect(cosine(a, Float32Array.of(b, b, odd, b, b))).toBeNaN();
      }),
    );
  });
});
