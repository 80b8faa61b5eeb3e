import fc from "fast-check";
import { systemClock } from "@steward/kernel/clock.js";
import { BlockCache } from "../tree/block-cache.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";

/** A cache over an empty store in memory. */
export function emptyBlocks(): BlockCache {
  return new BlockCache(new MemoryBlockStore(systemClock));
}

/** Sorts keys and removes duplicates. */
export function sorted(keys: Iterable<Buffer>): Buffer[] {
  const byHex = new Map([...keys].map((key) => [key.toString("hex"), key]));
  return [...byHex.values()].sort((a, b) => Buffer.compare(a, b));
}

/** A key for a number; keys share a prefix, like keys of quads do. */
export function keyOf(index: number): Buffer {
  return Buffer.from(`http://example.org/things/${String(index % 977)}/part/${String(index)}`);
}

/** Sets of up to a few thousand keys, some of them long. */
export const keySet: fc.Arbitrary<Buffer[]> = fc
  .tuple(fc.nat(3000), fc.nat(1000), fc.array(fc.tuple(fc.nat(9), fc.nat(2000)), { maxLength: 12 }))
  .map(([count, offset, long]) =>
    sorted([
      ...Array.from({ length: count }, (_, index) => keyOf(index * 7 + offset)),
      ...long.map(([letter, length]) => Buffer.alloc(length + 1, 97 + letter)),
    ]),
  );
