import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { BlockCache } from "../tree/block-cache.js";
import type { Roots } from "../datasets/commit.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { mergeTrees, type MergePreview } from "./merge.js";
import { Snapshot } from "../datasets/snapshot.js";
import { type Quad, quad, text, tripleTerm } from "../terms/term.js";
import { anyQuad, example, nameOf, namesOf } from "../testing/quads.js";
import { TripleStore } from "../datasets/triple-store.js";

const blocks = new MemoryBlockStore(systemClock);

function rootsOf(quads: readonly Quad[]): Roots {
  const store = new TripleStore(blocks, systemClock, "scratch");
  for (const old of [...store.now.match()]) store.delete(old);
  for (const one of quads) store.add(one);
  return store.at(store.commit({ author: "a", message: "m" })).roots;
}

function merge(
  base: readonly Quad[],
  ours: readonly Quad[],
  theirs: readonly Quad[],
): MergePreview {
  const singleValued = new Set([example("name").value]);
  const versions = {
    base: rootsOf(base),
    ours: rootsOf(ours),
    theirs: rootsOf(theirs),
    singleValued,
  };
  return mergeTrees(new BlockCache(blocks), versions);
}

const [a, b] = [example("a"), example("b")];
const named = (name: string): Quad => quad(a, example("name"), text(name));
const aged = quad(a, example("age"), text("7"));
const other = quad(b, example("name"), text("B"));

describe("a merge", () => {
  it("keeps what either side added, and nothing that either side deleted, whoever merges whom", () => {
    const quads = fc.array(anyQuad, { maxLength: 15 });
    fc.assert(
      fc.property(
        quads,
        quads,
        quads,
        fc.nat(15),
        fc.nat(15),
        (base, mine, yours, keepMine, keepYours) => {
          const ours = [...base.slice(0, keepMine), ...mine];
          const theirs = [...base.slice(15 - keepYours), ...yours];
          const has = (set: readonly Quad[], one: Quad): boolean => set.some((q) => q.equals(one));
          const all = new Map([...base, ...ours, ...theirs].map((one) => [nameOf(one), one]));
          const wanted = [...all.values()].filter((one) =>
            has(base, one) ? has(ours, one) && has(theirs, one) : true,
          );
          const [here, there] = [merge(base, ours, theirs), merge(base, theirs, ours)];
          expect(here.roots).toEqual(rootsOf(wanted));
          expect(there.roots).toEqual(here.roots);
          expect(there.conflicts.length).toBe(here.conflicts.length);
          const before = new Map(ours.map((one) => [nameOf(one), one]));
          for (const one of here.added) before.set(nameOf(one), one);
          for (const one of here.deleted) before.delete(nameOf(one));
          expect(namesOf(before.values())).toBe(namesOf(wanted));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has no conflict where both sides did the same, or touched different things", () => {
    expect(merge([named("A")], [named("Z")], [named("Z")]).conflicts).toEqual([]);
    expect(
      merge([named("A"), other], [named("Z"), other], [named("A"), aged, other]).conflicts,
    ).toEqual([]);
    expect(merge([named("A"), other], [other], [other]).conflicts).toEqual([]);
  });

  it("reports a single value that both sides changed", () => {
    const { conflicts } = merge([named("A")], [named("Y")], [named("Z")]);
    expect(conflicts).toEqual([
      {
        kind: "two-values",
        subject: a,
        predicate: example("name"),
        ours: [text("Y")],
        theirs: [text("Z")],
      },
    ]);
  });

  it("reports what one side deleted and the other changed", () => {
    const { conflicts } = merge([named("A"), other], [other], [named("A"), aged, other]);
    expect(conflicts).toEqual([{ kind: "deleted-and-changed", subject: a, deletedBy: "ours" }]);
  });

  it("reports a reference to what the other side deleted", () => {
    const link = quad(b, example("knows"), a);
    const { conflicts } = merge([named("A"), other], [named("A"), other, link], [other]);
    expect(conflicts).toEqual([{ kind: "dangling-reference", quad: link, deletedBy: "theirs" }]);
  });

  it("reports a triple term about what the other side deleted, also inside another one", () => {
    const said = tripleTerm(a, example("name"), text("A"));
    for (const term of [said, tripleTerm(b, example("says"), said)]) {
      const about = quad(b, example("denies"), term);
      const { conflicts } = merge([named("A"), other], [other], [named("A"), other, about]);
      expect(conflicts).toEqual([{ kind: "dangling-reference", quad: about, deletedBy: "ours" }]);
    }
    const denied = quad(b, example("denies"), tripleTerm(b, example("name"), text("B")));
    expect(merge([named("A"), other], [other], [named("A"), other, denied]).conflicts).toEqual([]);
  });

  it("leaves both sides as they were", () => {
    const ours = rootsOf([named("A")]);
    merge([], [named("A")], [other]);
    expect(namesOf(new Snapshot(new BlockCache(blocks), ours).match())).toBe(namesOf([named("A")]));
  });
});
