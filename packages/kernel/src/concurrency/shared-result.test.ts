import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RESUMED_CALLERS_MAX } from "../limits.js";
import { KeyedMutex } from "./keyed-mutex.js";
import { sharedResult } from "./shared-result.js";
import { resumedByTurn } from "./testing/resumed-by-turn.js";

const CALLERS = 200;
/** The callbacks of one turn may be counted with those of the next. */
const COUNTED_MAX = 2 * RESUMED_CALLERS_MAX;

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

describe("callers that wait for one result", () => {
  it.each(["resolves", "rejects"])("resume in several turns when it %s", async (how) => {
    const result = turn().then(() => {
      if (how === "rejects") throw new Error("it fails");
    });
    const byTurn = await resumedByTurn(CALLERS, () => sharedResult(result, "a"));
    expect(sum(byTurn)).toBe(CALLERS);
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(COUNTED_MAX);
  });

  it("get the result, or its error", async () => {
    await expect(sharedResult(Promise.resolve(1), "a")).resolves.toBe(1);
    const error = new Error("it fails");
    await expect(sharedResult(Promise.reject(error), "a")).rejects.toBe(error);
  });
});

describe("work under one key", () => {
  it("runs in several turns, even if none of it waits", async () => {
    const mutex = new KeyedMutex();
    const byTurn = await resumedByTurn(CALLERS, (n) => mutex.runExclusive("key", () => n));
    expect(sum(byTurn)).toBe(CALLERS);
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(COUNTED_MAX);
  });
});
