import { describe, expect, it } from "vitest";
import { durationText, relativeDeadline, relativeTime } from "./time-texts.js";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const HOUR = 3_600_000;
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

  it("is a date beyond a month", () => {
    expect([ago(31 * 24 * HOUR), ago(60 * 24 * HOUR)]).toEqual(["31 days ago", "31 Dec 2025"]);
  });

  it("of a deadline looks ahead, and back once it has passed", () => {
    const ahead = [40_000, 22 * HOUR, 25 * HOUR, 40 * 24 * HOUR, 0, -2 * HOUR];
    expect(ahead.map((ms) => relativeDeadline(new Date(NOW + ms).toISOString(), NOW))).toEqual([
      "in 40 s",
      "in 22 h",
      "in 1 day",
      "10 Apr 2026",
      "just now",
      "2 h ago",
    ]);
  });
});

describe("a duration", () => {
  it("has two units at most", () => {
    expect([0, 999, 1_400, 59_900, 125_000, 11_520_000].map(durationText)).toEqual([
      ...["0 ms", "999 ms", "1.4 s", "60 s", "2 min 5 s", "3 h 12 min"],
    ]);
  });
});
