import { expect, it } from "vitest";
import { durationMs } from "./duration.js";

it("reads minutes, hours and days, and nothing else", () => {
  expect(["30m", "24h", "7d"].map(durationMs)).toEqual([1_800_000, 86_400_000, 604_800_000]);
  for (const text of ["", "0h", "1.5h", "-1h", "24", "h", "24 h", "24H", "1w", "999999h"]) {
    expect([text, durationMs(text)]).toEqual([text, undefined]);
  }
});
