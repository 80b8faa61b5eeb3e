import { describe, expect, it } from "vitest";
import { type Pausing, withPauses } from "./pausing.js";

/** Keeps the thread busy. */
function work(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

describe("work with pauses", () => {
  it("lets others have their turn of the event loop, and comes to what the work comes to", async () => {
    let turns = 0;
    const others = setInterval(() => (turns += 1), 1);
    function* counting(): Pausing<number> {
      let sum = 0;
      for (let n = 0; n < 100; n += 1) {
        work(1);
        sum += n;
        yield;
      }
      return sum;
    }
    expect(await withPauses(counting())).toBe(4950);
    clearInterval(others);
    expect(turns).toBeGreaterThan(2);
  });

  it("does not wait at pauses that come quickly", async () => {
    let turns = 0;
    const others = setImmediate(() => (turns += 1));
    function* quick(): Pausing<string> {
      yield;
      yield;
      return "done";
    }
    expect(await withPauses(quick())).toBe("done");
    expect(turns).toBe(0);
    clearImmediate(others);
  });

  it("ends work that takes longer than its budget, closing what it has opened", async () => {
    let isClosed = false;
    function* endless(): Pausing<never> {
      try {
        for (;;) {
          work(1);
          yield;
        }
      } finally {
        isClosed = true;
      }
    }
    await expect(withPauses(endless(), 20)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message:
        "The request used more than 0.02 s of the server's time and was stopped: request less at once",
    });
    expect(isClosed).toBe(true);
  });

  it("ends work at a pause that is refused, closing what it has opened", async () => {
    const seen: string[] = [];
    function* refused(): Pausing<never> {
      try {
        for (;;) {
          work(1);
          yield;
        }
      } finally {
        seen.push("closed");
      }
    }
    let pauses = 0;
    const atPause = (): Promise<void> => {
      pauses += 1;
      return pauses < 3 ? Promise.resolve() : Promise.reject(new Error("refused"));
    };
    await expect(withPauses(refused(), Infinity, atPause)).rejects.toThrow("refused");
    expect([pauses, seen]).toEqual([3, ["closed"]]);
  });
});
