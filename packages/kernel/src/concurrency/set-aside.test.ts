import fc from "fast-check";
import { expect, it } from "vitest";
import { AppError } from "../errors.js";
import { silentLog, type Log } from "../log.js";
import { SetAside } from "./set-aside.js";
import { SimulatedTimers } from "./testing/simulated-timers.js";

function bench(): { setAside: SetAside; timers: SimulatedTimers; lines: string[] } {
  const lines: string[] = [];
  const line =
    (level: string) =>
    (fields: object): unknown =>
      lines.push(`${level} ${String((fields as { readonly item?: unknown }).item)}`);
  const log: Log = { ...silentLog, error: line("error"), info: line("info") };
  const timers = new SimulatedTimers();
  const backoff = { baseMs: 1000, capMs: 8000 };
  const parts = { work: "the test's work", log, timers, random: () => 0.999, backoff };
  return { setAside: new SetAside(parts), timers, lines };
}

it("whatever items fail, every other one is handled in the same batch", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 50 }), async (fails) => {
      const { setAside } = bench();
      const done: number[] = [];
      await setAside.each(fails.keys(), String, (at) => {
        if (fails[at] === true) return Promise.reject(new SyntaxError("a damaged row"));
        done.push(at);
        return Promise.resolve();
      });
      expect(done).toEqual([...fails.keys()].filter((at) => fails[at] !== true));
      expect(setAside.size).toBe(fails.length - done.length);
    }),
  );
});

it("a failing item waits longer after each failure, and the log tells of its first failure and its success", async () => {
  const { setAside, timers, lines } = bench();
  const tries: number[] = [];
  let isDamaged = true;
  const look = (): Promise<void> =>
    setAside.each(["a"], String, () => {
      tries.push(timers.nowMs());
      return isDamaged ? Promise.reject(new Error("damaged")) : Promise.resolve();
    });
  for (let n = 0; n < 200; n += 1) {
    await look();
    await timers.advance(100);
  }
  const pauses = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
  expect(pauses).toEqual([1000, 2000, 4000, 8000]);
  expect(setAside.waiting()).toEqual(["a"]);
  isDamaged = false;
  await timers.advance(8000);
  await look();
  expect([setAside.size, setAside.waiting()]).toEqual([0, []]);
  expect(lines).toEqual(["error a", "info a"]);
});

it("an item that finds the store unavailable ends the batch, and the next batch passes over it", async () => {
  const { setAside } = bench();
  const done: string[] = [];
  const look = (): Promise<void> =>
    setAside.each(["a", "b"], String, (item) => {
      if (item === "a") return Promise.reject(new AppError("STORE_UNAVAILABLE", "away"));
      done.push(item);
      return Promise.resolve();
    });
  await expect(look()).rejects.toThrow("away");
  expect(done).toEqual([]);
  await look();
  expect(done).toEqual(["b"]);
});
