import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { BlockCache, EMPTY_ROOT } from "./block-cache.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { NODE_BYTES_MAX, NODE_BYTES_MIN } from "./splitter.js";
import { emptyBlocks, keyOf, keySet, sorted } from "../testing/key-sets.js";
import { buildTree } from "./tree-builder.js";
import { type Edit, updateTree } from "./tree-update.js";
import { prefixRange, Tree } from "./tree.js";

function edits(keys: readonly Buffer[], present: boolean): Edit[] {
  return sorted(keys).map((key) => ({ key, present }));
}

function hex(keys: Iterable<Buffer>): string {
  return [...keys].map((key) => key.toString("hex")).join(" ");
}

const many = sorted(Array.from({ length: 20_000 }, (_, index) => keyOf(index)));
const runs = { numRuns: 40 };

describe("a tree of keys", () => {
  it("has the same root whether it was built at once, in batches, or past detours", () => {
    fc.assert(
      fc.property(keySet, keySet, fc.integer({ min: 1, max: 5 }), (keys, others, batches) => {
        const blocks = emptyBlocks();
        let root = updateTree(blocks, EMPTY_ROOT, edits(others, true));
        for (let batch = 0; batch < batches; batch++) {
          const some = keys.filter((_, index) => (index * 31) % batches === batch);
          root = updateTree(blocks, root, edits(some, true));
        }
        const wanted = new Set(keys.map((key) => key.toString("hex")));
        const surplus = others.filter((key) => !wanted.has(key.toString("hex")));
        root = updateTree(blocks, root, edits(surplus, false));
        expect(root).toBe(buildTree(emptyBlocks(), keys));
      }),
      runs,
    );
  });

  it("has the same root when its keys come one by one, in any order, and go again", () => {
    const some = fc.shuffledSubarray(many.slice(0, 300), { minLength: 1 });
    fc.assert(
      fc.property(some, (keys) => {
        const blocks = emptyBlocks();
        let root = EMPTY_ROOT;
        for (const key of keys) root = updateTree(blocks, root, [{ key, present: true }]);
        expect(root).toBe(buildTree(emptyBlocks(), sorted(keys)));
        for (const key of keys) root = updateTree(blocks, root, [{ key, present: false }]);
        expect(root).toBe(EMPTY_ROOT);
      }),
      { numRuns: 15 },
    );
  });

  it("finds, counts and lists exactly what it holds", () => {
    fc.assert(
      fc.property(keySet, keySet, fc.nat(), (keys, others, pick) => {
        const blocks = emptyBlocks();
        const tree = new Tree(blocks, buildTree(blocks, keys));
        const held = new Set(keys.map((key) => key.toString("hex")));
        expect(tree.size).toBe(keys.length);
        for (const key of others.slice(0, 50)) {
          expect(tree.has(key)).toBe(held.has(key.toString("hex")));
        }
        const from = others[pick % Math.max(1, others.length)] ?? Buffer.from("m");
        const within = keys.filter((key) => Buffer.compare(key, from) >= 0);
        expect(hex(tree.keys({ from, to: undefined }))).toBe(hex(within));
        expect(tree.count({ from, to: undefined })).toBe(within.length);
      }),
      runs,
    );
  });

  it("finds what begins with given bytes", () => {
    const blocks = emptyBlocks();
    const tree = new Tree(blocks, buildTree(blocks, many));
    const range = prefixRange(Buffer.from("http://example.org/things/42/"));
    const expected = many.filter((key) =>
      key.toString().startsWith("http://example.org/things/42/"),
    );
    expect([...tree.keys(range)]).toEqual(expected);
    expect(tree.count(range)).toBe(expected.length);
  });

  it("changes nothing by edits that say what is so already", () => {
    const blocks = emptyBlocks();
    const root = buildTree(blocks, many);
    const same = [...edits(many.slice(100, 110), true), ...edits([Buffer.from("zzz")], false)];
    expect(updateTree(blocks, root, same)).toBe(root);
  });

  it("writes for one more key little more than the path to it", () => {
    const store = new MemoryBlockStore(systemClock);
    const blocks = new BlockCache(store);
    const root = buildTree(blocks, many);
    store.put(blocks.heldBelow([root]));
    blocks.release();
    const key = Buffer.from("http://example.org/things/5/x");
    const next = updateTree(blocks, root, [{ key, present: true }]);
    expect(blocks.heldBytes).toBeLessThan(5 * NODE_BYTES_MAX);
    expect(blocks.heldBelow([next]).size).toBeLessThanOrEqual(5);
  });

  it("cuts nodes of 512 bytes to 16 KiB, and 4 KiB on the average", () => {
    const blocks = emptyBlocks();
    const root = buildTree(blocks, many);
    const sizes = [...blocks.heldBelow([root]).values()].map(({ length }) => length);
    const average = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(Math.max(...sizes)).toBeLessThanOrEqual(NODE_BYTES_MAX);
    // The last node of a level ends where the keys do.
    expect(sizes.filter((size) => size < NODE_BYTES_MIN).length).toBeLessThanOrEqual(3);
    expect(average).toBeGreaterThan(3300);
    expect(average).toBeLessThan(5500);
  });

  it("keeps to its bounds with the longest and with the shortest keys", () => {
    const long = Array.from({ length: 300 }, (_, index) =>
      Buffer.concat([Buffer.alloc(2000, 97), Buffer.alloc(48, `${String(index)}.`)]),
    );
    const short = Array.from({ length: 60_000 }, (_, index) => {
      const key = Buffer.alloc(3);
      key.writeUIntBE(index, 0, 3);
      return key;
    });
    for (const keys of [sorted(long), short]) {
      const blocks = emptyBlocks();
      const root = buildTree(blocks, keys);
      expect(
        Math.max(...[...blocks.heldBelow([root]).values()].map(({ length }) => length)),
      ).toBeLessThanOrEqual(NODE_BYTES_MAX);
      expect(hex(new Tree(blocks, root).keys())).toBe(hex(keys));
    }
  });

  it("stays as it is: these roots name trees that are stored", () => {
    expect(EMPTY_ROOT).toBe("67abdd721024f0ff4e0b3f4c2fc13bc5bad42d0b7851d456d88d203d15aaa450");
    expect(buildTree(emptyBlocks(), many.slice(0, 10))).toBe(
      "07762f5c0b3a891226aa8a03c97339eec6fb22f00032c1f2eafb9b5e6ef72349",
    );
    expect(buildTree(emptyBlocks(), many)).toBe(
      "b9d4a96a4d4f0cbfebcc0acad58d4a0921c8aaab2f540ee072040733f9757d4f",
    );
  });
});
