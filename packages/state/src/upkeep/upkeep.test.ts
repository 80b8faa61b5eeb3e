import { describe, expect, it } from "vitest";
import { checkStore } from "./fsck.js";
import { collectGarbage } from "./garbage.js";
import type { Hash } from "../blocks/hash.js";
import { log, mergeBase, resolve } from "../history/history.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { quad, text, tripleTerm, typed, XSD_INTEGER } from "../terms/term.js";
import { commitId, encodeCommit, readCommit } from "../datasets/commit.js";
import { example, namesOf } from "../testing/quads.js";
import { copyMissing } from "../sync/transfer.js";
import { TripleStore } from "../datasets/triple-store.js";

let nowMs = 0;
const clock = { nowMs: (): number => (nowMs += 1000) };
const note = { author: "Ada", message: "a change" };

function filled(count = 2000): { blocks: MemoryBlockStore; store: TripleStore; head: Hash } {
  const blocks = new MemoryBlockStore(clock);
  const store = new TripleStore(blocks, clock);
  store.load(
    Array.from({ length: count }, (_, index) =>
      quad(example(`s${String(index % 500)}`), example("p"), typed(String(index), XSD_INTEGER)),
    ),
  );
  store.add(quad(example("a"), example("text"), text("long ".repeat(100))));
  return { blocks, store, head: store.commit(note) };
}

/** A store with one damaged block. */
function damaged(
  blocks: MemoryBlockStore,
  hash: Hash,
  bytes: Uint8Array | undefined,
): MemoryBlockStore {
  return Object.assign(Object.create(blocks) as MemoryBlockStore, {
    get: (asked: Hash) => (asked === hash ? bytes : blocks.get(asked)),
    refs: () => blocks.refs(),
    ref: (name: string) => blocks.ref(name),
    journal: () => [],
    journals: () => [],
  });
}

describe("history", () => {
  it("tells commits newest first, and where two branches parted", () => {
    const { blocks, store, head } = filled(10);
    blocks.move({ name: "heads/other", expected: undefined, next: head }, new Map());
    store.add(quad(example("x"), example("p"), text("ours")));
    const ours = store.commit(note);
    const other = new TripleStore(blocks, clock, "other");
    other.add(quad(example("x"), example("p"), text("theirs")));
    const theirs = other.commit(note);
    expect([...log(blocks, ours)].map(({ hash }) => hash)).toEqual([ours, head]);
    expect(mergeBase(blocks, ours, theirs)).toBe(head);
    const merged = store.commit({ author: "Ada", message: "merge" }, [theirs]);
    expect([...log(blocks, merged)].map(({ hash }) => hash)).toEqual([merged, theirs, ours, head]);
    expect(mergeBase(blocks, merged, theirs)).toBe(theirs);
    const apart = new TripleStore(blocks, clock, "apart").commit(note);
    expect(mergeBase(blocks, ours, apart)).toBeUndefined();
  });

  it("finds a commit by branch, tag, content id and hash, and says what it does not know", () => {
    const { blocks, head } = filled(1);
    blocks.move({ name: "tags/v1", expected: undefined, next: head }, new Map());
    for (const name of ["main", "v1", "heads/main", commitId(head), head]) {
      expect(resolve(blocks, name)).toBe(head);
    }
    expect(() => resolve(blocks, "nowhere")).toThrow(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
  });
});

describe("the collection of garbage", () => {
  it("deletes what no ref leads to once it is old enough, and nothing else", () => {
    const { blocks, store, head } = filled();
    const before = [...blocks.hashes()].length;
    store.add(quad(example("x"), example("p"), text("x")));
    const second = store.commit(note);
    blocks.move({ name: "heads/main", expected: second, next: head }, new Map());
    expect(collectGarbage(blocks, clock, 1e9).deleted).toBe(0);
    const { kept, deleted } = collectGarbage(blocks, clock, 0);
    expect(kept).toBe(before);
    expect(deleted).toBeGreaterThan(3);
    expect(checkStore(blocks)).toEqual([]);
    expect(new TripleStore(blocks, clock).now.size).toBe(2001);
  });

  it("keeps the long texts that a journal or a commit names, however old, those in triple terms too", () => {
    const { blocks, store } = filled(10);
    const said = tripleTerm(example("b"), example("text"), text("said ".repeat(100)));
    const waiting = [
      quad(example("b"), example("text"), text("waiting ".repeat(100))),
      quad(example("b"), example("denies"), said),
    ];
    for (const one of waiting) store.add(one);
    const kept = (): string =>
      namesOf(new TripleStore(blocks, clock).now.match({ subject: example("b") }));
    collectGarbage(blocks, clock, 0);
    expect(kept()).toBe(namesOf(waiting));
    store.commit(note);
    collectGarbage(blocks, clock, 0);
    expect(kept()).toBe(namesOf(waiting));
  });

  it("deletes nothing when it cannot see all that is in use", () => {
    const { blocks, store } = filled();
    const broken = damaged(blocks, store.now.roots.posg, undefined);
    expect(() => collectGarbage(broken, clock, 0)).toThrow(/missing/);
    expect(checkStore(blocks)).toEqual([]);
  });
});

describe("the check of a store", () => {
  it("names a block that is missing or damaged, while reads that do not need it go on", () => {
    const { blocks, store } = filled();
    const bad = store.now.roots.posg;
    for (const bytes of [undefined, Buffer.from("other")]) {
      const broken = damaged(blocks, bad, bytes);
      expect(checkStore(broken)).toEqual([
        { ref: "heads/main", hash: bad, reason: expect.stringContaining(bad) },
      ]);
      const reader = new TripleStore(broken, clock).now;
      expect([...reader.match({ subject: example("s7") })].length).toBe(4);
      expect(() => [...reader.match({ predicate: example("p") })]).toThrow(
        expect.objectContaining({ code: "STATE_CORRUPTED" }),
      );
    }
  });

  it("finds derived trees that say something else than the first", () => {
    const { blocks, store, head } = filled(10);
    const { roots } = store.now;
    const { hash, bytes } = encodeCommit({
      ...readCommit(blocks, head),
      roots: { ...roots, ospg: roots.posg },
    });
    blocks.move({ name: "heads/main", expected: head, next: hash }, new Map([[hash, bytes]]));
    expect(checkStore(blocks)).toEqual([
      { ref: "heads/main", hash: roots.posg, reason: expect.stringContaining("ospg") },
    ]);
  });
});

describe("a history that is checked", () => {
  it("has the faults of every commit told, also where commits share blocks", () => {
    const { blocks, store, head } = filled();
    store.add(quad(example("x"), example("p"), text("x")));
    const next = store.commit(note);
    expect(checkStore(blocks)).toEqual([]);
    const { roots } = readCommit(blocks, next);
    const { hash, bytes } = encodeCommit({
      ...readCommit(blocks, next),
      roots: { ...roots, posg: readCommit(blocks, head).roots.posg },
      parents: [next],
    });
    blocks.move({ name: "heads/main", expected: next, next: hash }, new Map([[hash, bytes]]));
    expect(checkStore(blocks)).toEqual([
      expect.objectContaining({ reason: expect.stringContaining("posg") }),
    ]);
    const shared = [...blocks.hashes()].filter((one) => ![head, next, hash].includes(one));
    for (const missing of shared.slice(0, 40)) {
      const faults = checkStore(damaged(blocks, missing, undefined));
      expect(faults.some((fault) => fault.reason.includes(missing))).toBe(true);
    }
  });
});

describe("copying between stores", () => {
  it("copies each commit after all of its parents, also below a merge of two branches", () => {
    const { blocks, store, head } = filled(1);
    const other = new TripleStore(blocks, clock, "other");
    const side = other.commit(note, [head]);
    store.add(quad(example("x"), example("p"), text("x")));
    const ours = store.commit(note);
    const merge = store.commit(note, [side]);

    const order: Hash[] = [];
    const target = new MemoryBlockStore(clock);
    const put = target.put.bind(target);
    target.put = (copied) => {
      order.push(...copied.keys());
      put(copied);
    };
    copyMissing(blocks, target, merge);
    const commits = order.filter((hash) => [head, side, ours, merge].includes(hash));
    expect([commits[0], commits[3]]).toEqual([head, merge]);
  });

  it("copies what is missing, once, and all of it", () => {
    const { blocks, store, head } = filled();
    const target = new MemoryBlockStore(clock);
    expect(copyMissing(blocks, target, head)).toBe([...blocks.hashes()].length);
    expect(copyMissing(blocks, target, head)).toBe(0);
    store.add(quad(example("x"), example("p"), text("x")));
    const next = store.commit(note);
    expect(copyMissing(blocks, target, next)).toBeLessThan(15);
    target.move({ name: "heads/main", expected: undefined, next }, new Map());
    expect(checkStore(target)).toEqual([]);
    expect(namesOf(new TripleStore(target, clock).now.match())).toBe(namesOf(store.now.match()));
  });
});
