import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUsd, parseUsd, usdOf } from "./money.js";

describe("money", () => {
  it("is read from decimal dollars, exactly", () => {
    expect(parseUsd("12")).toBe(12_000_000_000n);
    expect(parseUsd("0.000000001")).toBe(1n);
    expect(parseUsd("9007199.254740993")).toBe(9_007_199_254_740_993n);
  });

  it("is not read from what is not exactly an amount", () => {
    const wrong = ["", "-1", "1e3", "1.", ".5", "1,5", "0.0000000001", " 1", "12345678901", "NaN"];
    expect(wrong.map((text) => parseUsd(text))).toEqual(wrong.map(() => undefined));
  });

  it("comes back from its text unchanged", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n - 1n }), (amount) => {
        expect(parseUsd(formatUsd(amount))).toBe(amount);
      }),
    );
  });

  it("shows debts with a sign and no needless zeros", () => {
    expect([-3n, 0n, 1_500_000_000n].map(formatUsd)).toEqual(["-0.000000003", "0", "1.5"]);
  });

  it("is shown as the nearest double, however large the sum", () => {
    expect(usdOf(100_000n * 1_000_000n)).toBe(100);
    expect(usdOf(9_007_199_254_740_993n)).toBe(9007199.254740993);
  });

  it("does not drift where doubles do", () => {
    const tenCents = 100_000_000n;
    let exact = 0n;
    let double = 0;
    for (let i = 0; i < 1_000_000; i += 1) {
      exact += tenCents;
      double += 0.1;
    }
    expect(usdOf(exact)).toBe(100_000);
    expect(double).not.toBe(100_000);
  });
});
