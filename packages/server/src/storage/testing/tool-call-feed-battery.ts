import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seededRandom, withSeed } from "@steward/kernel/testing/seeded-random.js";
import type { ToolCallFeed } from "../../kernel/tool-call.js";
import type { MemoryStore } from "../../memory/ports.js";
import type { PlanEngine } from "../../plans/index.js";
import type { UsageStore } from "../../usage/ports.js";
import { recordToolCalls } from "./record-tool-calls.js";

/** An engine under test. */
export interface FeedUnderTest extends AsyncDisposable {
  readonly plans: PlanEngine;
  readonly memory: Pick<MemoryStore, "toolCalls">;
  readonly usage: Pick<UsageStore, "recording">;
}

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

/**
 * The required behaviour of every engine's feeds of tool calls. Within one test, each call of
 * `open` opens the same database, as a restarted process would.
 */
export function toolCallFeedBattery(engine: string, open: () => Promise<FeedUnderTest>): void {
  describe(`the feeds of tool calls on ${engine}`, () => {
    it("give a batch again until it is done, also after a death, each consumer for itself", async () => {
      const calls = Array.from({ length: 5 }, (_, index) => ({ orgId: ORG, finishedAtMs: index }));
      let ids: readonly string[];
      {
        await using store = await open();
        ids = (await recordToolCalls(store.plans, calls)).map(({ eventId }) => eventId);
        const feed = store.memory.toolCalls;
        expect(idsOf(await feed.take(2))).toEqual(ids.slice(0, 2));
        const taken = await feed.take(3);
        expect([idsOf(taken), taken.isCut]).toEqual([ids.slice(0, 3), true]);
        await feed.done(taken);
        expect(idsOf(await feed.take(1))).toEqual(ids.slice(3, 4));
        // The process ends here, with a batch that it has taken but not acknowledged.
      }
      await using store = await open();
      const feed = store.memory.toolCalls;
      expect(await feed.waiting()).toBe(2);
      const rest = await feed.take(10);
      // Calls of different plans come in any order.
      expect(new Set(idsOf(rest))).toEqual(new Set(ids.slice(3)));
      expect(rest.isCut).toBe(false);
      await feed.done(rest);
      expect(idsOf(await feed.take(10))).toEqual([]);
      // No usage rows of the calls exist yet.
      expect(await store.usage.recording.recordPending(10)).toHaveLength(5);
    });

    it("pass over no call and give none twice that is done, while writers commit at the same time", async () => {
      await withSeed(async (seed) => {
        const random = seededRandom(seed);
        const done: string[] = [];
        let written: readonly string[] = [];
        {
          await using store = await open();
          const feed = store.memory.toolCalls;
          const state = { writing: true };
          const writers = [ORG, ORG, OTHER_ORG, OTHER_ORG].map((orgId) =>
            recordToolCalls(
              store.plans,
              Array.from({ length: 8 }, () => ({ orgId })),
            ),
          );
          const all = Promise.all(writers).finally(() => {
            state.writing = false;
          });
          while (state.writing) await consume(feed, random, done);
          written = (await all).flat().map(({ eventId }) => eventId);
          await feed.take(5);
        }
        await using store = await open();
        const feed = store.memory.toolCalls;
        while ((await feed.waiting()) > 0) await consume(feed, random, done);
        expect(done.toSorted()).toEqual(written.toSorted());
      });
    });
  });
}

/** Takes a batch of some size, and acknowledges it or is interrupted before. */
async function consume(feed: ToolCallFeed, random: () => number, done: string[]): Promise<void> {
  const limit = 1 + Math.floor(random() * 7);
  const taken = await feed.take(limit);
  // Let the writers run.
  await turn();
  expect(taken.calls.length).toBeLessThanOrEqual(limit);
  if (random() < 0.3) return;
  await feed.done(taken);
  done.push(...idsOf(taken));
}

function idsOf({ calls }: Awaited<ReturnType<ToolCallFeed["take"]>>): readonly string[] {
  return calls.map(({ eventId }) => eventId);
}
