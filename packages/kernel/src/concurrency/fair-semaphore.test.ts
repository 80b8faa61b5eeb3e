import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairSemaphore } from "./fair-semaphore.js";

/** A semaphore whose work ends when the test says so. */
class Workshop {
  readonly semaphore: FairSemaphore;
  readonly running: { readonly party: string; readonly end: () => void }[] = [];
  mostAtOnce = 0;
  readonly #mostOfParty = new Map<string, number>();

  constructor(options: { slotsMax: number; waitingMax?: number; waitMs?: number }) {
    this.semaphore = new FairSemaphore({
      waitingMax: 100,
      waitMs: 60_000,
      name: "jobs",
      ...options,
    });
  }

  ask(party: string): Promise<string> {
    return this.semaphore.run(party, async () => {
      await new Promise<void>((resolve) => {
        this.running.push({ party, end: resolve });
        this.mostAtOnce = Math.max(this.mostAtOnce, this.running.length);
        const own = this.running.filter((job) => job.party === party).length;
        this.#mostOfParty.set(party, Math.max(own, this.mostOf(party)));
      });
      return party;
    });
  }

  mostOf(party: string): number {
    return this.#mostOfParty.get(party) ?? 0;
  }

  async endNext(at = 0): Promise<void> {
    this.running.splice(at, 1)[0]?.end();
    await delay(0);
  }
}

describe("a fair semaphore", () => {
  it("run as many at once as may, one party all but one of them, and all that was asked for", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(3)), { maxLength: 30 }),
        async (slotsMax, asked) => {
          const shop = new Workshop({ slotsMax });
          const done = asked.map(([party]) => shop.ask(party));
          for (const [, at] of asked) await shop.endNext(Math.min(at, shop.running.length - 1));
          expect(await Promise.all(done)).toEqual(asked.map(([party]) => party));
          expect(shop.mostAtOnce).toBeLessThanOrEqual(slotsMax);
          const share = Math.max(1, slotsMax - 1);
          for (const party of "abc") expect(shop.mostOf(party)).toBeLessThanOrEqual(share);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("begin another party's work at once where one floods, and next where there is one turn", async () => {
    const several = new Workshop({ slotsMax: 3 });
    const flood = Array.from({ length: 10 }, () => several.ask("flood"));
    const quiet = several.ask("quiet");
    expect(several.running.map(({ party }) => party)).toEqual(["flood", "flood", "quiet"]);
    for (let n = 0; n < 11; n += 1) await several.endNext();
    await Promise.all([...flood, quiet]);

    const single = new Workshop({ slotsMax: 1 });
    const done = ["flood", "flood", "flood", "quiet"].map((party) => single.ask(party));
    const served: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      served.push(...single.running.map(({ party }) => party));
      await single.endNext();
    }
    await Promise.all(done);
    expect(served).toEqual(["flood", "quiet", "flood", "flood"]);
  });

  it("refuse what waits too long, and more than may wait, without beginning it", async () => {
    const shop = new Workshop({ slotsMax: 1, waitingMax: 1, waitMs: 20 });
    const first = shop.ask("a");
    const late = shop.ask("a");
    await expect(shop.ask("a")).rejects.toMatchObject({
      code: "OVERLOADED",
      message: "Your organization has 1 jobs waiting; try again",
      retryAfterMs: 1000,
    });
    await expect(late).rejects.toMatchObject({
      code: "OVERLOADED",
      message:
        "The server is busy with other jobs: the request waited 20 ms and was not started; try again",
    });
    expect(shop.running).toHaveLength(1);
    await shop.endNext();
    expect(await first).toBe("a");
    const next = shop.ask("b");
    await shop.endNext();
    expect(await next).toBe("b");
  });

  it("go on after work that failed", async () => {
    const { semaphore } = new Workshop({ slotsMax: 1 });
    const failing = semaphore.run("a", () => Promise.reject(new Error("no")));
    const next = semaphore.run("b", () => 2);
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe(2);
  });
});
