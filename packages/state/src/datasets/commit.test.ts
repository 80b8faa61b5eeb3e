import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { EMPTY_ROOT } from "../tree/block-cache.js";
import { cidOf, hashOfCid } from "../blocks/cid.js";
import { type Commit, commitId, commitOfId, encodeCommit, readCommit } from "./commit.js";
import { hashOf } from "../blocks/hash.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";

const first: Commit = {
  roots: { spog: EMPTY_ROOT, posg: EMPTY_ROOT, ospg: EMPTY_ROOT },
  parents: [],
  author: "Ada <ada@example.org>",
  message: "begin",
  timeMs: 0,
};
const anyHash = fc.uint8Array({ minLength: 1 }).map(hashOf);

describe("a commit", () => {
  it("is read as it was written, and named by its content", () => {
    const commit = fc.record({
      roots: fc.record({ spog: anyHash, posg: anyHash, ospg: anyHash }),
      parents: fc.array(anyHash, { maxLength: 3 }),
      author: fc.string({ unit: "grapheme" }),
      message: fc.string({ unit: "grapheme" }),
      timeMs: fc.nat({ max: 2 ** 40 }),
    });
    fc.assert(
      fc.property(commit, (given) => {
        const store = new MemoryBlockStore(systemClock);
        const { hash, bytes } = encodeCommit(given);
        store.put(new Map([[hash, bytes]]));
        expect(readCommit(store, hash)).toEqual(given);
      }),
    );
  });

  it("is DAG-JSON with links, and stays as it is", () => {
    const { hash, bytes } = encodeCommit({ ...first, parents: [encodeCommit(first).hash] });
    const raw = cidOf(EMPTY_ROOT, "raw");
    expect(Buffer.from(bytes).toString()).toBe(
      `{"author":"Ada <ada@example.org>","message":"begin","parents":[{"/":"${commitId(encodeCommit(first).hash)}"}],` +
        `"roots":{"ospg":{"/":"${raw}"},"posg":{"/":"${raw}"},"spog":{"/":"${raw}"}},"time":"1970-01-01T00:00:00.000Z"}`,
    );
    expect(hash).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("is not taken from a block that says the same in other words, or something else", () => {
    const store = new MemoryBlockStore(systemClock);
    const { bytes } = encodeCommit(first);
    for (const text of [` ${Buffer.from(bytes).toString()}`, "{}", "no JSON"]) {
      const block = Buffer.from(text);
      store.put(new Map([[hashOf(block), block]]));
      expect(() => readCommit(store, hashOf(block))).toThrow(/not a commit/);
    }
    expect(() => readCommit(store, hashOf(Buffer.from("gone")))).toThrow(/missing/);
  });
});

describe("a content id", () => {
  it("is the one that other implementations give", () => {
    // Published in the documentation of the Python package ipfs-cid.
    expect(cidOf(hashOf(Buffer.from("Hello world")), "raw")).toBe(
      "bafkreide5semuafsnds3ugrvm6fbwuyw2ijpj43gwjdxemstjkfozi37hq",
    );
  });

  it("gives its hash back, and nothing else does", () => {
    fc.assert(
      fc.property(anyHash, (hash) => {
        expect(commitOfId(commitId(hash))).toBe(hash);
        expect(hashOfCid(cidOf(hash, "raw"), "raw")).toBe(hash);
      }),
    );
    for (const wrong of [
      "",
      "bafy",
      "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
      commitId(EMPTY_ROOT),
    ]) {
      expect(() => hashOfCid(wrong, "raw", "expected")).toThrow(
        /^expected: must be the id of a block/,
      );
    }
  });
});
