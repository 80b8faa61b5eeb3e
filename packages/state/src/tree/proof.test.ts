import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashOf } from "../blocks/hash.js";
import { prove, verifyProof } from "./proof.js";
import { emptyBlocks, keyOf, keySet, sorted } from "../testing/key-sets.js";
import { buildTree } from "./tree-builder.js";

const keys = sorted(Array.from({ length: 5000 }, (_, index) => keyOf(index)));
const blocks = emptyBlocks();
const root = buildTree(blocks, keys);

describe("a proof", () => {
  it("shows of every key whether the set has it", () => {
    fc.assert(
      fc.property(keySet, keySet, fc.nat(), (held, others, pick) => {
        const some = emptyBlocks();
        const top = buildTree(some, held);
        const has = new Set(held.map((key) => key.toString("hex")));
        for (const from of [held, others]) {
          const key = from[pick % Math.max(1, from.length)] ?? Buffer.from("x");
          const isHeld = has.has(key.toString("hex"));
          expect(verifyProof(top, key, prove(some, top, key))).toBe(isHeld);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("shows nothing once a single byte of it is changed, or a block left out, added or moved", () => {
    const anyKey = fc.oneof(fc.constantFrom(...keys), fc.nat().map(keyOf));
    fc.assert(
      fc.property(
        anyKey,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (key, n, at, mask) => {
          const { nodes } = prove(blocks, root, key);
          const index = n % nodes.length;
          const forged = nodes.map((bytes) => Buffer.from(bytes));
          const block = forged[index] ?? Buffer.alloc(0);
          block[at % block.length] = block.readUInt8(at % block.length) ^ mask;
          const shorter = nodes.filter((_, other) => other !== index);
          const longer = [...nodes, nodes[index] ?? block];
          for (const wrong of [forged, shorter, longer, [...nodes].reverse()]) {
            if (wrong.length === 1 && nodes.length === 1) continue;
            expect(verifyProof(root, key, { nodes: wrong })).toBeUndefined();
          }
        },
      ),
    );
  });

  it("shows nothing of another key or another root than it was made for", () => {
    const [first, last] = [keys[0], keys.at(-1)] as [Buffer, Buffer];
    expect(verifyProof(root, last, prove(blocks, root, first))).toBeUndefined();
    expect(
      verifyProof(hashOf(Buffer.from("other")), first, prove(blocks, root, first)),
    ).toBeUndefined();
  });
});
