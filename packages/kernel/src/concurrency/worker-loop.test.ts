import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLog, type Log } from "../log.js";
import { seededRandom } from "../testing/seeded-random.js";
import { SimulatedTimers } from "./testing/simulated-timers.js";
import { type BatchEnd, WorkerLoop, type WorkerLoopOptions } from "./worker-loop.js";

/** Bounds of every loop here, in ms. */
const GATHER_MS = 20;
const POLL_MS = 500;
const CAP_MS = 1000;
const DRAIN_MS = 5000;

/** A queue in the place of a database: items come, batches take them, and what fails is in it still. */
class Bench {
  readonly timers = new SimulatedTimers();
  readonly lines: string[] = [];
  waiting = 0;
  done = 0;
  /** How many batches are under way; and whether there ever were two. */
  running = 0;
  overlapped = false;
  batches = 0;
  isDown = false;
  batchMs = 10;
  readonly loop: WorkerLoop;

  constructor(options: Partial<WorkerLoopOptions> = {}, seed = 1) {
    const line = (_fields: object, event: string): unknown => this.lines.push(event);
    const log: Log = { ...silentLog, warn: line, info: line };
    this.loop = new WorkerLoop({
      name: "the test's work",
      work: (signal) => this.#work(signal),
      gatherMs: GATHER_MS,
      backoff: { baseMs: 100, capMs: CAP_MS },
      begin: "later",
      end: "drain",
      drainMs: DRAIN_MS,
      log,
      timers: this.timers,
      random: seededRandom(seed),
      ...options,
    });
  }

  add(items: number): void {
    this.waiting += items;
    this.loop.wake();
  }

  /** Ends the loop, letting time go by until it has. */
  async end(): Promise<number> {
    const startedMs = this.timers.nowMs();
    const state = { ended: false };
    void this.loop[Symbol.asyncDispose]().then(() => {
      state.ended = true;
    });
    while (!state.ended && this.timers.nowMs() < startedMs + 60_000) await this.timers.advance(10);
    expect(state.ended).toBe(true);
    return this.timers.nowMs() - startedMs;
  }

  async #work(signal: AbortSignal): Promise<BatchEnd> {
    this.batches += 1;
    this.running += 1;
    this.overlapped ||= this.running > 1;
    const taken = Math.min(this.waiting, 3);
    try {
      await new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", abort, { once: true });
        this.timers.after(this.batchMs, () => {
          signal.removeEventListener("abort", abort);
          resolve();
        });
      });
      if (this.isDown) throw new Error("down");
      this.waiting -= taken;
      this.done += taken;
      return this.waiting > 0 && taken === 3 ? "more" : "idle";
    } finally {
      this.running -= 1;
    }
  }
}

describe("a worker loop", () => {
  it("lets the wake-ups of a moment share one batch, and works until nothing is left", async () => {
    const bench = new Bench();
    for (let item = 0; item < 3; item += 1) bench.add(1);
    await bench.timers.advance(GATHER_MS + 10);
    expect([bench.done, bench.batches]).toEqual([3, 1]);
    bench.add(10);
    await bench.timers.advance(GATHER_MS + 4 * 10);
    expect([bench.done, bench.batches]).toEqual([13, 5]);
    await bench.end();
  });

  it("polls without any wake-up, and begins at once when it is told to", async () => {
    const bench = new Bench({ begin: "now", pollMs: POLL_MS });
    bench.waiting = 1;
    await bench.timers.advance(10);
    expect(bench.done).toBe(1);
    bench.waiting = 1;
    await bench.timers.advance(POLL_MS + 9);
    expect(bench.done).toBe(1);
    await bench.timers.advance(1);
    expect(bench.done).toBe(2);
    await bench.end();
  });

  it("says once that it fails and once that it goes on, and wake-ups do not make it try sooner", async () => {
    const bench = new Bench({ random: () => 0.999 });
    bench.isDown = true;
    bench.add(1);
    for (let ms = 0; ms < 3000; ms += 10) {
      bench.loop.wake();
      await bench.timers.advance(10);
    }
    // 10 ms a batch, and pauses of 100, 200, 400, 800 and 1000 ms.
    expect(bench.batches).toBe(6);
    expect(bench.loop.isFailing).toBe(true);
    bench.isDown = false;
    await bench.timers.advance(CAP_MS + 10);
    expect(bench.loop.isFailing).toBe(false);
    expect(bench.lines).toEqual([
      "background work failed and is retried until it succeeds",
      "background work succeeds again",
    ]);
    await bench.end();
  });

  it("rests between batches for as long as it is told", async () => {
    const bench = new Bench({ restMs: (durationMs) => 4 * durationMs });
    bench.add(6);
    await bench.timers.advance(GATHER_MS + 10 + 40 + 9);
    expect(bench.done).toBe(3);
    await bench.timers.advance(1);
    expect(bench.done).toBe(6);
    await bench.end();
  });

  it("starts few batches while wake-ups never cease, and one soon after a quiet time", async () => {
    const intervalMs = 10 * GATHER_MS;
    let batches = 0;
    const work = (): Promise<BatchEnd> => {
      batches += 1;
      return Promise.resolve("idle");
    };
    const bench = new Bench({ intervalMs, work });
    for (let at = 0; at < 3 * intervalMs; at += GATHER_MS / 2) {
      bench.loop.wake();
      await bench.timers.advance(GATHER_MS / 2);
    }
    expect(batches).toBe(3);
    await bench.timers.advance(2 * intervalMs);
    expect(batches).toBe(4);
    bench.loop.wake();
    await bench.timers.advance(GATHER_MS);
    expect(batches).toBe(5);
    await bench.end();
  });

  it("drains what is waiting at the end, but not for longer than it may, nor against a failure", async () => {
    const drained = new Bench();
    drained.add(30);
    await drained.end();
    expect(drained.waiting).toBe(0);
    const slow = new Bench();
    slow.batchMs = 3000;
    slow.add(30);
    expect(await slow.end()).toBeLessThanOrEqual(DRAIN_MS + 10);
    const down = new Bench();
    down.isDown = true;
    down.add(1);
    expect(await down.end()).toBeLessThan(100);
    expect(down.waiting).toBe(1);
  });

  it("finishes the batch under way, or abandons it, as it is told, and starts no other", async () => {
    const finishing = new Bench({ end: "finish" });
    finishing.add(30);
    await finishing.timers.advance(GATHER_MS + 5);
    await finishing.end();
    expect([finishing.done, finishing.batches]).toEqual([3, 1]);
    const abandoning = new Bench({ end: "abandon" });
    abandoning.batchMs = 100_000;
    abandoning.add(30);
    await abandoning.timers.advance(GATHER_MS + 5);
    expect(await abandoning.end()).toBeLessThan(100);
    expect([abandoning.done, abandoning.lines]).toEqual([0, []]);
  });

  it("ends at once while it waits, for a wake-up as for a pause", async () => {
    const idle = new Bench({ end: "finish" });
    await idle.timers.advance(100);
    expect(await idle.end()).toBeLessThanOrEqual(10);
    const pausing = new Bench({ end: "finish", random: () => 0.999 });
    pausing.isDown = true;
    pausing.add(1);
    await pausing.timers.advance(GATHER_MS + 15);
    expect(await pausing.end()).toBeLessThanOrEqual(10);
    expect(pausing.batches).toBe(1);
  });
});

/** What happens to a loop. */
type Event =
  | { readonly kind: "add"; readonly items: number }
  | { readonly kind: "unseen"; readonly items: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "down" | "up" }
  | { readonly kind: "slow"; readonly batchMs: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), items: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("unseen" as const), items: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 700 }) }),
  fc.record({ kind: fc.constantFrom("down" as const, "up" as const) }),
  fc.record({ kind: fc.constant("slow" as const), batchMs: fc.constantFrom(0, 1, 10, 300) }),
);

async function play(bench: Bench, events: readonly Event[]): Promise<void> {
  for (const one of events) {
    switch (one.kind) {
      case "add":
        bench.add(one.items);
        break;
      case "unseen":
        bench.waiting += one.items;
        break;
      case "pass":
        await bench.timers.advance(one.ms);
        break;
      case "down":
      case "up":
        bench.isDown = one.kind === "down";
        break;
      case "slow":
        bench.batchMs = one.batchMs;
    }
  }
}

describe("whatever happens to a worker loop", () => {
  it("runs one batch at a time and has done everything in bounded time once the work succeeds", async () => {
    const seeds = fc.integer();
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), seeds, async (events, seed) => {
        const bench = new Bench({ pollMs: POLL_MS }, seed);
        await play(bench, events);
        bench.isDown = false;
        const batches = Math.ceil(bench.waiting / 3) + 2;
        await bench.timers.advance(POLL_MS + CAP_MS + GATHER_MS + batches * (bench.batchMs + 300));
        expect([bench.waiting, bench.overlapped, bench.loop.isFailing]).toEqual([0, false, false]);
        const fails = bench.lines.filter((line) =>
          line.startsWith("background work failed"),
        ).length;
        expect(bench.lines.length - fails).toBe(fails);
        await bench.end();
      }),
      { numRuns: 300 },
    );
  });

  it("loses no wake-up where nothing polls, whenever it comes", async () => {
    const woken = event.filter(({ kind }) => kind !== "unseen");
    await fc.assert(
      fc.asyncProperty(fc.array(woken, { maxLength: 30 }), async (events) => {
        const bench = new Bench();
        await play(bench, events);
        bench.isDown = false;
        const batches = Math.ceil(bench.waiting / 3) + 2;
        await bench.timers.advance(CAP_MS + 2 * GATHER_MS + batches * (bench.batchMs + 300));
        expect(bench.waiting).toBe(0);
        await bench.end();
      }),
      { numRuns: 300 },
    );
  });

  it("ends within its time, starts nothing afterwards, and leaves nothing that it could drain", async () => {
    const ends = fc.constantFrom("drain" as const, "finish" as const, "abandon" as const);
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), ends, async (events, end) => {
        const bench = new Bench({ end, pollMs: POLL_MS });
        await play(bench, events);
        const ms = await bench.end();
        expect(ms).toBeLessThanOrEqual(end === "drain" ? DRAIN_MS + 10 : bench.batchMs + 310);
        if (end === "drain" && !bench.isDown && ms < DRAIN_MS) expect(bench.waiting).toBe(0);
        const { batches } = bench;
        bench.add(1);
        await bench.timers.advance(10_000);
        expect([bench.batches, bench.running]).toEqual([batches, 0]);
      }),
      { numRuns: 300 },
    );
  });
});
