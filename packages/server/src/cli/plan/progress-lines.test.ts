import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { changeLine, duration, progressLines } from "./progress-lines.js";
import type { ProgressCanvas } from "./progress-lines.js";
import type { StepView } from "./progress.js";

const canvas: ProgressCanvas = {
  columns: 80,
  rows: 24,
  colors: pc.createColors(false),
  nowMs: 1600,
};

const steps: readonly StepView[] = [
  { stepId: "orders", dependsOn: [], status: "completed", rowCount: 12, durationMs: 35.2 },
  { stepId: "totals", dependsOn: ["orders"], status: "running", startedAtMs: 100 },
  { stepId: "mail", dependsOn: ["orders", "totals"], status: "pending" },
  { stepId: "bad", dependsOn: [], status: "failed", durationMs: 2, error: "no such\ntable" },
];

describe("the progress lines", () => {
  it("show each step with what it came to, how long it takes or what it waits for", () => {
    expect(progressLines(steps, canvas)).toEqual([
      "✔ orders  completed  12 rows  35 ms",
      "⠋ totals  running    1.5 s",
      "· mail    pending    waits for totals",
      "✖ bad     failed     2 ms  no such table",
      "1 of 4 steps done, 1 running",
    ]);
  });

  it("stay within the width of the terminal", () => {
    const lines = progressLines(steps, { ...canvas, columns: 24 });
    expect(lines[2]).toBe("· mail    pending    w…");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(24);
  });

  it("show what runs and what has failed when the terminal is too low for all", () => {
    expect(progressLines(steps, { ...canvas, rows: 5 })).toEqual([
      "⠋ totals  running    1.5 s",
      "✖ bad     failed     2 ms  no such table",
      "1 of 4 steps done, 1 running",
    ]);
  });

  it("turn the spinner with time", () => {
    const sign = (nowMs: number): string | undefined =>
      progressLines(steps, { ...canvas, nowMs })[1]?.slice(0, 1);
    expect(sign(1600)).not.toBe(sign(1680));
  });
});

describe("a line that stays", () => {
  it("names the step, its status and what it came to", () => {
    expect(steps.map((step) => changeLine(step, canvas.colors))).toEqual([
      "✔ orders  completed  12 rows  35 ms",
      "▸ totals  running",
      "· mail  pending",
      "✖ bad  failed  2 ms  no such table",
    ]);
  });
});

describe("a duration", () => {
  it.each([
    [0.4, "0 ms"],
    [999.4, "999 ms"],
    [1234, "1.2 s"],
    [200_000, "3 min 20 s"],
  ])("of %d ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
