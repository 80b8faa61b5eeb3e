import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { BlockCache, EMPTY_ROOT } from "./block-cache.js";
import { diffTrees } from "./diff.js";
import type { Hash } from "../blocks/hash.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { emptyBlocks, keyOf, keySet, sorted } from "../testing/key-sets.js";
import { buildTree } from "./tree-builder.js";
import { updateTree } from "./tree-update.js";

function difference(blocks: BlockCache, before: Hash, after: Hash): string {
  const changes = [...diffTrees(blocks, before, after)];
  return changes.map(({ key, added }) => (added ? "+" : "-") + key.toString("latin1")).join("\n");
}

function expected(before: readonly Buffer[], after: readonly Buffer[]): string {
  const [a, b] = [before, after].map((keys) => new Set(keys.map((key) => key.toString("latin1"))));
  return sorted([...before, ...after])
    .map((key) => key.toString("latin1"))
    .filter((key) => a?.has(key) !== b?.has(key))
    .map((key) => (b?.has(key) === true ? "+" : "-") + key)
    .join("\n");
}

describe("the difference of two trees", () => {
  it("is the difference of the sets, in order", () => {
    fc.assert(
      fc.property(keySet, keySet, (before, after) => {
        const blocks = emptyBlocks();
        const [a, b] = [buildTree(blocks, before), buildTree(blocks, after)];
        expect(difference(blocks, a, b)).toBe(expected(before, after));
      }),
      { numRuns: 40 },
    );
  });

  it("is found between neighbours too, whatever the heights of the trees", () => {
    fc.assert(
      fc.property(keySet, fc.array(fc.nat(30_000)), (before, picks) => {
        const blocks = emptyBlocks();
        const root = buildTree(blocks, before);
        const edits = sorted(picks.map(keyOf)).map((key) => ({
          key,
          present: key.length % 2 === 0,
        }));
        const held = new Map(before.map((key) => [key.toString("latin1"), key]));
        for (const { key, present } of edits) {
          if (present) held.set(key.toString("latin1"), key);
          else held.delete(key.toString("latin1"));
        }
        const after = updateTree(blocks, root, edits);
        expect(difference(blocks, root, after)).toBe(expected(before, [...held.values()]));
      }),
      { numRuns: 40 },
    );
  });

  it("reads only what leads to the changes", () => {
    const store = new MemoryBlockStore(systemClock);
    const blocks = new BlockCache(store);
    const keys = sorted(Array.from({ length: 30_000 }, (_, index) => keyOf(index)));
    const root = buildTree(blocks, keys);
    const after = updateTree(blocks, root, [{ key: Buffer.from("http://f"), present: true }]);
    store.put(blocks.heldBelow([root, after]));
    let reads = 0;
    const counting = new BlockCache({
      get: (hash: Hash) => {
        reads += 1;
        return store.get(hash);
      },
    });
    expect(difference(counting, root, after)).toBe("+http://f");
    expect(reads).toBeLessThan(12);
    expect(difference(counting, EMPTY_ROOT, EMPTY_ROOT)).toBe("");
  });
});
