import { describe, expect, it } from "vitest";
import { GRAIN_MS } from "./rollup.js";
import { isTimeZone, ZoneCalendar } from "./zone-calendar.js";

describe("a zone's calendar", () => {
  it("knows IANA zones, and takes nothing else for one", () => {
    expect(["UTC", "Europe/Berlin", "Asia/Kathmandu"].every(isTimeZone)).toBe(true);
    expect(["", "Mars/Olympus", "+02:00", "Europe/Berlin; DROP", " UTC"].some(isTimeZone)).toBe(
      false,
    );
  });

  // Compares every quarter of an hour around clock changes with the runtime's own result.
  it.each([
    ["Europe/Berlin", "2026-03-20", 20],
    ["America/New_York", "2026-10-25", 12],
    ["Asia/Kathmandu", "2026-01-01", 4],
    ["Australia/Lord_Howe", "2026-03-30", 10],
    ["America/Havana", "2026-03-01", 15],
    ["Pacific/Apia", "2011-12-27", 7],
    ["Pacific/Kiritimati", "2026-06-01", 3],
    ["Etc/GMT+12", "2026-06-01", 3],
  ])("finds every day of %s from %s for %i days", (timeZone, start, days) => {
    const calendar = new ZoneCalendar(timeZone);
    const runtime = new Intl.DateTimeFormat("sv-SE", { timeZone });
    const startMs = Date.parse(`${start}T00:00:00Z`);
    for (let quarter = 0; quarter < days * 96; quarter += 1) {
      const ms = startMs + quarter * GRAIN_MS.quarter;
      expect(calendar.dayAt(ms).date).toBe(runtime.format(ms));
    }
  });

  it("answers in any order of questions", () => {
    const calendar = new ZoneCalendar("Europe/Berlin");
    const dates = ["2026-01-05T23:00Z", "2026-01-05T22:45Z", "2026-01-06T23:00Z"].map(
      (time) => calendar.dayAt(Date.parse(time)).date,
    );
    expect(dates).toEqual(["2026-01-06", "2026-01-05", "2026-01-07"]);
  });
});
