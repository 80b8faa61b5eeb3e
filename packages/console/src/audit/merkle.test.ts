import { describe, expect, it } from "vitest";
import { isConsistent, leafHash, nodeHash, rootOfInclusion } from "./merkle.js";

const SIZE_MAX = 18;
const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (hash: Uint8Array | undefined) => hash && Buffer.from(hash).toString("hex");
const leaves = await Promise.all(
  Array.from({ length: SIZE_MAX }, (_, index) => leafHash(bytes(`record ${index}`))),
);

/** The definitions of RFC 6962 §2.1, word by word; the browser's code follows the algorithms instead. */
async function rootOf(hashes: readonly Uint8Array[]): Promise<Uint8Array> {
  const [only] = hashes;
  if (hashes.length === 1 && only !== undefined) return only;
  const cut = cutOf(hashes.length);
  return nodeHash(await rootOf(hashes.slice(0, cut)), await rootOf(hashes.slice(cut)));
}

async function pathOf(index: number, hashes: readonly Uint8Array[]): Promise<Uint8Array[]> {
  if (hashes.length === 1) return [];
  const cut = cutOf(hashes.length);
  const [left, right] = [hashes.slice(0, cut), hashes.slice(cut)];
  return index < cut
    ? [...(await pathOf(index, left)), await rootOf(right)]
    : [...(await pathOf(index - cut, right)), await rootOf(left)];
}

async function consistencyOf(
  older: number,
  hashes: readonly Uint8Array[],
  isWhole = true,
): Promise<Uint8Array[]> {
  if (older === hashes.length) return isWhole ? [] : [await rootOf(hashes)];
  const cut = cutOf(hashes.length);
  const [left, right] = [hashes.slice(0, cut), hashes.slice(cut)];
  return older <= cut
    ? [...(await consistencyOf(older, left, isWhole)), await rootOf(right)]
    : [...(await consistencyOf(older - cut, right, false)), await rootOf(left)];
}

/** The largest power of two below a size. */
function cutOf(size: number): number {
  return 2 ** Math.ceil(Math.log2(size) - 1);
}

describe("proofs in the browser", () => {
  it("lead from every leaf of every small tree to its root, and from no other leaf", async () => {
    for (let size = 1; size <= SIZE_MAX; size += 1) {
      const tree = leaves.slice(0, size);
      const root = hex(await rootOf(tree));
      for (const [index, leaf] of tree.entries()) {
        const inclusion = { index, size, proof: await pathOf(index, tree) };
        expect(hex(await rootOfInclusion(leaf, inclusion))).toBe(root);
        const other = await leafHash(bytes("never recorded"));
        expect(hex(await rootOfInclusion(other, inclusion))).not.toBe(root);
        const longer = { ...inclusion, proof: [...inclusion.proof, leaf] };
        expect(await rootOfInclusion(leaf, longer)).toBeUndefined();
      }
    }
  });

  it("show that a tree begins with an earlier one, and that another does not", async () => {
    for (let size = 1; size <= SIZE_MAX; size += 1) {
      const newer = { size, root: await rootOf(leaves.slice(0, size)) };
      for (let older = 1; older <= size; older += 1) {
        const proof = await consistencyOf(older, leaves.slice(0, size));
        const root = await rootOf(leaves.slice(0, older));
        expect(await isConsistent({ size: older, root }, newer, proof)).toBe(true);
        const strange = await leafHash(root);
        expect(await isConsistent({ size: older, root: strange }, newer, proof)).toBe(false);
      }
    }
  });
});
