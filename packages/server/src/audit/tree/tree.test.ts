import { createHash, generateKeyPairSync, sign } from "node:crypto";
import merkle from "@sigstore/verify/dist/timestamp/merkle.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkpointText,
  consistencyProof,
  entriesOf,
  entryBundle,
  inclusionProof,
  isConsistent,
  leafHash,
  noteText,
  parseNote,
  parseVerifierKey,
  rawKey,
  rootOfInclusion,
  signersOf,
  tileNamed,
  tilePath,
  tileWidth,
  TreeEdge,
  verifiedCheckpoint,
  verifierKey,
  verifierKeyText,
  type ReadTiles,
} from "./index.js";

describe("a tree", () => {
  it("has the roots of the published test vectors", () => {
    // The leaves and roots that the tests of Certificate Transparency's implementations share.
    const leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"];
    leaves.push("606162636465666768696a6b6c6d6e6f");
    const edge = new TreeEdge();
    const roots = [edge.root().toString("hex")];
    for (const leaf of leaves) {
      edge.append([leafHash(Buffer.from(leaf, "hex"))]);
      roots.push(edge.root().toString("hex"));
    }
    expect(roots).toEqual([
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]);
  });

  it("has the same root whatever the batches, also when another object continues it", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(cuts, (sizes) => {
        const whole = new TreeEdge();
        let parts = new TreeEdge();
        let count = 0;
        for (const size of sizes) {
          parts.append(leavesFrom(count, size));
          parts = new TreeEdge(parts.size, parts.partials);
          count += size;
        }
        whole.append(leavesFrom(0, count));
        expect(parts.size).toBe(count);
        expect(parts.root()).toEqual(whole.root());
      }),
    );
  });

  it("proves each leaf, as an independent implementation confirms", async () => {
    const size = fc.integer({ min: 1, max: 10_000 });
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), async (leaves, drawn) => {
        const { root, read } = treeOf(leaves);
        const index = drawn % leaves;
        const proof = await inclusionProof(index, leaves, read);
        merkle.verifyMerkleInclusion({
          canonicalizedBody: entry(index),
          inclusionProof: {
            logIndex: String(index),
            treeSize: String(leaves),
            rootHash: root,
            hashes: [...proof],
          },
        } as never);
        expect(rootOfInclusion(leafHash(entry(index)), index, leaves, proof)).toEqual(root);
        const other = rootOfInclusion(leafHash(entry(index + 1)), index, leaves, proof);
        expect(other).not.toEqual(root);
      }),
      { numRuns: 30, examples: [[66_000, 65_700]] },
    );
  });

  it("proves that it begins with each earlier tree, and with no other", async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 0, max: 3000 }));
    await fc.assert(
      fc.asyncProperty(sizes, async ([olderSize, more]) => {
        const newerSize = olderSize + more;
        const older = { size: olderSize, root: treeOf(olderSize).root };
        const { root, read } = treeOf(newerSize);
        const newer = { size: newerSize, root };
        const proof = await consistencyProof(olderSize, newerSize, read);
        expect(isConsistent({ older, newer }, proof)).toBe(true);
        if (more === 0) return;
        const strange = createHash("sha256").update("another tree").digest();
        expect(isConsistent({ older: { ...older, root: strange }, newer }, proof)).toBe(false);
        expect(isConsistent({ older, newer: { ...newer, root: strange } }, proof)).toBe(false);
        expect(isConsistent({ older, newer }, proof.slice(1))).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it("has no proof of a leaf beyond its size", async () => {
    const { read } = treeOf(5);
    await expect(inclusionProof(5, 5, read)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(consistencyProof(6, 5, read)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("tiles", () => {
  it("have the paths of C2SP tlog-tiles", () => {
    const path = "tile/0/x001/x234/067.p/5";
    expect(tilePath({ level: 0, index: 1_234_067, width: 5 })).toBe(path);
    expect(tileNamed(path)).toEqual({ level: 0, index: 1_234_067, width: 5 });
    expect(tilePath({ level: "entries", index: 0, width: 256 })).toBe("tile/entries/000");
    for (const wrong of ["tile/0/0", "tile/0/x000/001", "tile/0/000.p/256", "tile/64/000", "x"]) {
      expect(() => tileNamed(wrong)).toThrow(/names no tile/);
    }
  });

  it("of entries are read up to the first incomplete one", () => {
    const bundle = entryBundle([Buffer.from("a"), Buffer.alloc(300, 7)]);
    expect(entriesOf(bundle).entries.map(({ length }) => length)).toEqual([1, 300]);
    expect(entriesOf(bundle.subarray(0, -1))).toMatchObject({ isWhole: false });
  });
});

describe("signed notes", () => {
  it("verify the published example of C2SP signed-note", () => {
    const key = parseVerifierKey(
      "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    );
    const note = parseNote(EXAMPLE);
    expect(signersOf(note, [key])).toEqual([key]);
    expect(noteText(note)).toBe(EXAMPLE);
    expect(() => signersOf(parseNote(EXAMPLE.replace("answer", "Answer")), [key])).toThrow(
      /does not match/,
    );
  });

  it("are trusted for a log's own keys only, among signatures of others", () => {
    const [log, other] = [signer("example.com/log"), signer("example.com/other")];
    const text = checkpointText({ origin: "example.com/log", size: 3, root: leafHash(entry(3)) });
    const note = noteText({ text, signatures: [other.sign(text), log.sign(text)] });
    expect(verifiedCheckpoint(note, [log.key])).toMatchObject({ size: 3 });
    expect(() => verifiedCheckpoint(note, [other.key])).toThrow(/None of the given keys/);
    expect(parseVerifierKey(verifierKeyText(log.key)).keyId).toBe(log.key.keyId);
  });
});

const EXAMPLE =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

function signer(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = verifierKey(name, "ed25519", rawKey(publicKey));
  return {
    key,
    sign: (text: string) => ({
      name,
      keyId: key.keyId,
      signature: sign(null, Buffer.from(text), privateKey),
    }),
  };
}

function entry(index: number): Buffer {
  return Buffer.from(`entry ${String(index)}`);
}

function leavesFrom(first: number, count: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => leafHash(entry(first + at)));
}

function treeOf(size: number): { readonly root: Buffer; readonly read: ReadTiles } {
  const edge = new TreeEdge();
  const tiles = new Map<string, Buffer>();
  for (let at = 0; at < size; at += 1000) {
    for (const tile of edge.append(leavesFrom(at, Math.min(1000, size - at)))) {
      tiles.set(`${String(tile.level)}/${String(tile.index)}`, tile.hashes);
    }
  }
  const read: ReadTiles = (names) =>
    Promise.resolve(
      names.map(({ level, index, width }) => {
        const tile = tiles.get(`${String(level)}/${String(index)}`) ?? Buffer.alloc(0);
        expect(width).toBe(tileWidth(Number(level), index, size));
        return tile.subarray(0, width * 32);
      }),
    );
  return { root: edge.root(), read };
}
