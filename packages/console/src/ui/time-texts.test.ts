import { describe, expect, it } from "vitest";
import { durationText, relativeTime } from "./time-texts.js";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const ago = (ms: number) => relativeTime(new Date(NOW - ms).toISOString(), NOW);

describe("a relative time", () => {
  it("counts in the largest unit that fits", () => {
    const minute = 60_000;
    expect(
      [2_000, 59_000, minute, 61 * minute, 25 * 60 * minute, 50 * 60 * minute].map(ago),
    ).toEqual([...["just now", "59 s ago", "1 min ago", "1 h ago", "1 day ago", "2 days ago"]]);
  });

  it("says just now of a time that a slow clock takes for the future", () => {
    expect(ago(-60_000)).toBe("just now");
  });
});

describe("a duration", () => {
  it("has two units at most", () => {
    expect([0, 999, 1_400, 59_900, 125_000, 11_520_000].map(durationText)).toEqual([
      ...["0 ms", "999 ms", "1.4 s", "60 s", "2 min 5 s", "3 h 12 min"],
    ]);
  });
});
