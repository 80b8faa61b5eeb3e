import { expect, it } from "vitest";
import { checkClock } from "./clock.js";

it.each([
  [10_500, "ok", "agrees with the server of the store"],
  [60_000, "warn", "is 49.0 s behind the server of the store"],
  [2_000, "warn", "is 8.0 s ahead of the server of the store"],
])(
  "a clock that reads 10 to 11 s while a server's reads %i ms: %s",
  async (serverMs, status, found) => {
    let nowMs = 9_000;
    const clock = { nowMs: () => (nowMs += 1_000) };
    const read = () => Promise.resolve([{ now_ms: serverMs }]);
    expect(await checkClock("store", read, clock)).toMatchObject([
      { name: "clock", status, found },
    ]);
  },
);
