import { describe, expect, it } from "vitest";
import { daysOf, parseReportQuery } from "./report-query.js";

describe("the parameters of a report", () => {
  it("default to all time in UTC (Contract §4.5)", () => {
    expect(parseReportQuery({})).toEqual({
      from: "1970-01-01",
      to: "9999-12-31",
      timeZone: "UTC",
      groupBy: undefined,
    });
  });

  it.each([
    ["from", { from: "2026-02-30" }],
    ["from", { from: "2026-13-01" }],
    ["from", { from: "2026-1-1" }],
    ["from", { from: "" }],
    ["from", { from: "20260101" }],
    ["to", { to: "tomorrow" }],
    ["to", { to: "2026-01-01T00:00:00Z" }],
    ["to", { to: "2025-02-29" }],
    ["from", { from: "2026-01-02", to: "2026-01-01" }],
    ["tz", { tz: "Mars/Olympus" }],
    ["group_by", { group_by: "mood" }],
    ["group_by", { group_by: "total" }],
  ])("are refused naming %s: %o", (field, parameters) => {
    expect(() => parseReportQuery(parameters)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(`^${field}: `) as unknown,
        details: [{ field, reason: expect.any(String) as unknown }],
      }),
    );
  });

  it("accept one day, and leap days", () => {
    expect(parseReportQuery({ from: "2024-02-29", to: "2024-02-29" })).toMatchObject({
      from: "2024-02-29",
      to: "2024-02-29",
    });
  });

  it("name whole days in UTC, and more around them elsewhere", () => {
    const range = { from: "2026-01-05", to: "2026-01-05" };
    const utc = daysOf(parseReportQuery(range));
    expect(utc).toEqual({
      fromMs: Date.parse("2026-01-05T00:00Z"),
      untilMs: Date.parse("2026-01-06T00:00Z"),
    });
    const samoa = daysOf(parseReportQuery({ ...range, tz: "Pacific/Apia" }));
    expect(samoa.fromMs).toBeLessThanOrEqual(Date.parse("2026-01-05T00:00+14:00"));
    expect(samoa.untilMs).toBeGreaterThanOrEqual(Date.parse("2026-01-06T00:00-12:00"));
  });
});
