import { describe, expect, it } from "vitest";
import { BoundedTurns } from "./bounded-turns.js";

/** Enters work all at once, and counts what each turn of the event loop has started. */
async function startsByTurn(
  turns: BoundedTurns,
  work: readonly { readonly party: string; readonly run?: () => void }[],
): Promise<{ readonly byTurn: readonly number[]; readonly order: readonly string[] }> {
  const byTurn: number[] = [];
  const order: string[] = [];
  let started = 0;
  await new Promise<void>((resolve) => {
    for (const { party, run } of work) {
      turns.enter(
        () => party,
        () => {
          started += 1;
          order.push(party);
          run?.();
        },
      );
    }
    const count = (): void => {
      byTurn.push(started);
      started = 0;
      if (order.length === work.length) resolve();
      else setImmediate(count);
    };
    count();
  });
  return { byTurn, order };
}

const many = (party: string, count: number, run?: () => void) =>
  Array.from({ length: count }, () => ({ party, ...(run && { run }) }));

describe("work that arrives together", () => {
  it("is started in several turns of the event loop, so many in each", async () => {
    const turns = new BoundedTurns({ startsMax: 8, turnMs: Infinity });
    const { byTurn } = await startsByTurn(turns, many("a", 1000));
    expect(byTurn[0]).toBe(8);
    // The callbacks of one turn may be counted with those of the next.
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(16);
  });

  it("is started in the same turn when there is little of it", async () => {
    const turns = new BoundedTurns({ startsMax: 8, turnMs: Infinity });
    expect((await startsByTurn(turns, many("a", 8))).byTurn).toEqual([8]);
  });

  it("is started one by one when each takes as long as a turn may", async () => {
    const turns = new BoundedTurns({ startsMax: 8, turnMs: 1 });
    const run = (): void => {
      const endMs = performance.now() + 2;
      while (performance.now() < endMs);
    };
    const { byTurn } = await startsByTurn(turns, many("a", 20, run));
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(2);
  });

  it("waits for one piece of each other party, not for all of them", async () => {
    const turns = new BoundedTurns({ startsMax: 2, turnMs: Infinity });
    const { order } = await startsByTurn(turns, [...many("a", 100), ...many("b", 1)]);
    // Two had started when the others began to wait.
    expect(order.indexOf("b")).toBeLessThanOrEqual(4);
  });
});
