import { describe, expect, it } from "vitest";
import { SharedHealth } from "./health.js";
import type { Readiness } from "../transport/services.js";

const READY: Readiness = { ready: true, checks: { store: "ok" } };

describe("readiness", () => {
  it("is found out once a second, however many ask", async () => {
    let [nowMs, asked] = [5000, 0];
    const found = (): Promise<Readiness> => {
      asked += 1;
      return Promise.resolve({ ...READY, ready: asked === 1 });
    };
    const health = new SharedHealth({ readiness: found }, { nowMs: () => nowMs });
    const answers = await Promise.all(Array.from({ length: 300 }, () => health.readiness()));
    expect(answers.every(({ ready }) => ready)).toBe(true);
    nowMs += 999;
    expect((await health.readiness()).ready).toBe(true);
    expect(asked).toBe(1);
    nowMs += 1;
    expect((await health.readiness()).ready).toBe(false);
    // When the clock is set back, the next request checks again.
    nowMs = 0;
    await health.readiness();
    expect(asked).toBe(3);
  });

  it("is over at once when the server is to stop", async () => {
    const health = new SharedHealth(
      { readiness: () => Promise.resolve(READY) },
      { nowMs: () => 0 },
    );
    expect((await health.readiness()).ready).toBe(true);
    health.stop();
    expect(await health.readiness()).toEqual({
      ready: false,
      checks: { server: "it is shutting down" },
    });
  });
});
