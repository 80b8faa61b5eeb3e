import { silentLog, type LogFields } from "@steward/kernel/log.js";
import { expect, it } from "vitest";
import { ClockWatch } from "./clock-watch.js";

it("a clock that jumps is told once, forward or back, and a slow correction is not", () => {
  let [timeMs, monotonicMs] = [1_000_000, 0];
  const waiting = new Set<() => void>();
  const timers = {
    nowMs: () => monotonicMs,
    after: (_ms: number, action: () => void) => {
      waiting.add(action);
      return () => waiting.delete(action);
    },
  };
  const told: LogFields[] = [];
  const log = { ...silentLog, warn: (fields: LogFields) => told.push(fields) };
  const watch = new ClockWatch({ clock: { nowMs: () => timeMs }, log, timers });
  const pass = (jumpMs: number): void => {
    monotonicMs += 10_000;
    timeMs += 10_000 + jumpMs;
    const due = [...waiting];
    waiting.clear();
    for (const action of due) action();
  };
  for (const jumpMs of [0, 400, 400, 400, 3_600_000, 0, -90_000, 0]) pass(jumpMs);
  expect(told).toMatchObject([
    { jumpMs: 3_600_000, found: "the clock went forward by 3600 s" },
    { jumpMs: -90_000, found: "the clock went back by 90 s" },
  ]);
  watch[Symbol.dispose]();
  expect(waiting.size).toBe(0);
});
