import { describe, expect, it } from "vitest";
import type { Clock } from "@steward/kernel/clock.js";
import { type Hash, hashOf } from "../blocks/hash.js";
import type { BlockStore } from "../ports.js";

function block(text: string): [Hash, Uint8Array] {
  const bytes = Buffer.from(text);
  return [hashOf(bytes), bytes];
}

/**
 * The contract tests of block stores.
 * @param open opens an empty store.
 */
export function describeBlockStore(name: string, open: (clock: Clock) => BlockStore): void {
  describe(name, () => {
    const [a, b, c] = ["a", "b ".repeat(3000), "c"].map(block) as [
      [Hash, Uint8Array],
      [Hash, Uint8Array],
      [Hash, Uint8Array],
    ];

    it("keeps blocks by their hash", () => {
      using store = open({ nowMs: () => 0 });
      store.put(new Map([a, b]));
      expect(Buffer.from(store.get(a[0]) ?? []).toString()).toBe("a");
      expect(Buffer.from(store.get(b[0]) ?? []).equals(b[1])).toBe(true);
      expect(store.get(c[0])).toBeUndefined();
      expect([a, b, c].map(([hash]) => store.has(hash))).toEqual([true, true, false]);
      expect([...store.hashes()].sort()).toEqual([a[0], b[0]].sort());
    });

    it("moves a ref only from where it was seen, and keeps the blocks only then", () => {
      using store = open({ nowMs: () => 0 });
      const name = "heads/main";
      expect(store.move({ name, expected: b[0], next: a[0] }, new Map([a]))).toBe(false);
      expect(store.has(a[0])).toBe(false);
      expect(store.move({ name, expected: undefined, next: a[0] }, new Map([a]))).toBe(true);
      expect(store.move({ name, expected: undefined, next: b[0] }, new Map([b]))).toBe(false);
      expect([store.ref(name), store.has(a[0]), store.has(b[0])]).toEqual([a[0], true, false]);
      expect(store.move({ name, expected: a[0], next: b[0] }, new Map([b]))).toBe(true);
      expect(store.move({ name: "tags/v1", expected: undefined, next: a[0] }, new Map())).toBe(
        true,
      );
      expect(store.refs()).toEqual([
        { name, commit: b[0] },
        { name: "tags/v1", commit: a[0] },
      ]);
      expect(store.move({ name, expected: b[0], next: undefined }, new Map())).toBe(true);
      expect(store.ref(name)).toBeUndefined();
    });

    it("keeps each journal's records in order until a commit contains them", () => {
      using store = open({ nowMs: () => 0 });
      const record = (key: string, present: boolean): { key: Uint8Array; present: boolean } => ({
        key: Buffer.from(key),
        present,
      });
      store.append("one", record("x", true));
      store.append("two", record("y", true));
      store.append("one", record("x", false));
      store.sync();
      const read = (name: string): string[] =>
        store
          .journal(name)
          .map(({ key, present }) => `${Buffer.from(key).toString()} ${String(present)}`);
      expect(read("one")).toEqual(["x true", "x false"]);
      expect(store.journals()).toEqual(["one", "two"]);
      store.move(
        { name: "heads/one", expected: undefined, next: a[0], journal: "one" },
        new Map([a]),
      );
      expect([read("one"), read("two")]).toEqual([[], ["y true"]]);
      store.clearJournal("two");
      expect([read("two"), store.journals()]).toEqual([[], []]);
    });

    it("sweeps what is neither kept nor young, and takes a block written again for young", () => {
      let nowMs = 1000;
      using store = open({ nowMs: () => nowMs });
      store.put(new Map([a, b, c]));
      nowMs = 2000;
      store.put(new Map([b]));
      expect(store.sweep(new Set([a[0]]), 1500)).toBe(1);
      expect([a, b, c].map(([hash]) => store.has(hash))).toEqual([true, true, false]);
    });
  });
}
