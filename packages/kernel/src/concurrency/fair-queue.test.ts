import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.js";

const anybody = (): boolean => true;

describe("a fair queue", () => {
  it("serves a party's only item after at most one of each other", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { minLength: 1, maxLength: 8 }),
        fc.nat(20),
        (floods, taken) => {
          const queue = new FairQueue<string>(100);
          for (const [party, count] of floods.entries()) {
            for (let n = 0; n <= count; n += 1) queue.push(`flood-${party}`, `flood-${party}`);
          }
          for (let n = 0; n < taken; n += 1) queue.take(anybody);
          queue.push("quiet", "quiet");
          const before: (string | undefined)[] = [];
          for (let item = queue.take(anybody); item !== "quiet"; item = queue.take(anybody)) {
            before.push(item);
          }
          expect(new Set(before).size).toBe(before.length);
        },
      ),
    );
  });

  it("keeps the order of each party, also of what is put back", () => {
    const queue = new FairQueue<number>(10);
    for (const item of [1, 2, 3]) queue.push("a", item);
    const [first, second] = [queue.take(anybody) ?? 0, queue.take(anybody) ?? 0];
    queue.push("b", 9);
    queue.putBack("a", [first, second]);
    expect([1, 2, 3, 4].map(() => queue.take(anybody)).filter((item) => item !== 9)).toEqual([
      1, 2, 3,
    ]);
    expect(queue.size).toBe(0);
  });

  it("serves a party before the one whose turn has ended since it came", () => {
    const queue = new FairQueue<string>(10);
    for (const item of ["a1", "a2", "a3"]) queue.push("a", item);
    queue.take(anybody);
    queue.push("b", "b1");
    queue.endTurn("a");
    expect([1, 2, 3].map(() => queue.take(anybody))).toEqual(["b1", "a2", "a3"]);
  });

  it("serves a party next whose item was put back", () => {
    const queue = new FairQueue<string>(10);
    queue.push("b", "b1");
    for (const item of ["a1", "a2"]) queue.push("a", item);
    queue.putBack("b", [queue.take(anybody) ?? ""]);
    expect([1, 2, 3].map(() => queue.take(anybody))).toEqual(["b1", "a1", "a2"]);
    expect(queue.size).toBe(0);
  });

  it("passes over a party that may not have its turn, and takes no more of one than may wait", () => {
    const queue = new FairQueue<string>(1);
    expect([queue.push("a", "a1"), queue.push("a", "a2"), queue.push("b", "b1")]).toEqual([
      true,
      false,
      true,
    ]);
    expect(queue.take((party) => party === "b")).toBe("b1");
    expect(queue.take((party) => party === "b")).toBeUndefined();
    queue.remove("a", "a1");
    expect([queue.size, queue.take(anybody)]).toEqual([0, undefined]);
  });
});
