import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { solve, variable } from "./basic-graph-pattern.js";
import { readCommit } from "./commit.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import type { Position } from "../terms/quad-key.js";
import type { Pattern } from "./snapshot.js";
import { iri, type Quad, quad, text, typed, XSD_INTEGER } from "../terms/term.js";
import { anyQuad, example, nameOf, namesOf } from "../testing/quads.js";
import { TripleStore } from "./triple-store.js";

const note = { author: "Ada", message: "a change" };
const anyQuads = fc.array(anyQuad, { maxLength: 60 });

function emptyStore(): TripleStore {
  return new TripleStore(new MemoryBlockStore(systemClock), systemClock);
}

function matches(quad: Quad, pattern: Pattern): boolean {
  const positions = Object.keys(pattern) as Position[];
  return positions.every((position) => quad[position].equals(pattern[position]));
}

describe("a store of triples", () => {
  it("answers every pattern as a scan would, before a commit, after it, and when loaded at once", () => {
    const anyMask = fc.subarray(["subject", "predicate", "object", "graph"] as const);
    fc.assert(
      fc.property(anyQuads, anyQuads, anyQuad, anyMask, (first, second, asked, mask) => {
        const store = emptyStore();
        for (const one of first) store.add(one);
        store.commit(note);
        for (const one of second) store.add(one);
        for (const one of first.slice(0, 10)) store.delete(one);
        const gone = new Set(first.slice(0, 10).map(nameOf));
        const held = [...first, ...second].filter((one) => !gone.has(nameOf(one)));
        const distinct = [...new Map(held.map((one) => [nameOf(one), one])).values()];

        const pattern: Pattern = Object.fromEntries(mask.map((place) => [place, asked[place]]));
        const wanted = distinct.filter((one) => matches(one, pattern));
        const loaded = emptyStore();
        loaded.load(held);
        for (const now of [store.now, store.at(store.commit(note)), loaded.now]) {
          expect(namesOf(now.match(pattern))).toBe(namesOf(wanted));
          expect(now.count(pattern)).toBe(wanted.length);
          expect(now.has(asked)).toBe(distinct.some((one) => one.equals(asked)));
        }
      }),
    );
  });

  it("has the same roots however a dataset came to be", () => {
    fc.assert(
      fc.property(anyQuads, anyQuads, (wanted, detour) => {
        const [slow, fast, late] = [emptyStore(), emptyStore(), emptyStore()];
        for (const one of detour) slow.add(one);
        slow.commit(note);
        for (const one of [...wanted].reverse()) slow.add(one);
        const names = new Set(wanted.map(nameOf));
        for (const one of detour) if (!names.has(nameOf(one))) slow.delete(one);
        fast.load(wanted);
        late.load(wanted.slice(0, 5));
        late.load(wanted);
        const roots = [slow, fast, late].map((store) => store.at(store.commit(note)).roots);
        expect(roots[0]).toEqual(roots[1]);
        expect(roots[2]).toEqual(roots[1]);
      }),
    );
  });

  it("sees additions and deletions at once, and earlier commits unchanged", () => {
    const store = emptyStore();
    const one = quad(example("a"), example("knows"), example("b"));
    expect(store.add(one)).toBe(true);
    expect(store.add(one)).toBe(false);
    const first = store.commit(note);
    expect(store.delete(one)).toBe(true);
    expect(store.delete(one)).toBe(false);
    expect(store.now.size).toBe(0);
    const second = store.commit(note);
    expect(store.at(first).has(one)).toBe(true);
    expect(store.at(second).size).toBe(0);
  });

  it("chains commits, and refuses one on a branch that somebody else moved", () => {
    const blocks = new MemoryBlockStore(systemClock);
    const [ours, theirs] = [
      new TripleStore(blocks, systemClock),
      new TripleStore(blocks, systemClock),
    ];
    ours.add(quad(example("a"), example("p"), text("ours")));
    theirs.add(quad(example("a"), example("p"), text("theirs")));
    const first = theirs.commit(note);
    expect(() => ours.commit(note)).toThrow(expect.objectContaining({ code: "STATE_CONFLICT" }));
    ours.reset();
    ours.add(quad(example("a"), example("p"), text("ours")));
    const second = ours.commit(note);
    expect(readCommit(blocks, second).parents).toEqual([first]);
    expect(ours.now.size).toBe(2);
  });

  it("finds in its journal what was written and not committed", () => {
    const blocks = new MemoryBlockStore(systemClock);
    const store = new TripleStore(blocks, systemClock);
    const [kept, gone] = ["kept", "gone"].map((name) =>
      quad(example(name), example("p"), text(name)),
    );
    const long = quad(example("a"), example("p"), text("long ".repeat(100)));
    for (const one of [kept, gone, long]) if (one !== undefined) store.add(one);
    if (gone !== undefined) store.delete(gone);
    const again = new TripleStore(blocks, systemClock);
    expect(namesOf(again.now.match())).toBe(namesOf(store.now.match()));
    again.commit(note);
    expect(blocks.journal("heads/main")).toEqual([]);
  });

  it("adds, deletes and replaces many at once as it does one by one", () => {
    fc.assert(
      fc.property(anyQuads, anyQuads, anyQuads, (first, second, gone) => {
        const [slow, fast, fresh] = [emptyStore(), emptyStore(), emptyStore()];
        for (const one of [...first, ...second]) slow.add(one);
        for (const one of gone) slow.delete(one);
        fast.load(first);
        fast.commit(note);
        fast.load(second);
        fast.unload(gone);
        const roots = slow.at(slow.commit(note)).roots;
        expect(fast.at(fast.commit(note)).roots).toEqual(roots);
        expect(fast.now.size).toBe(slow.now.size);
        fresh.load(gone);
        fresh.commit(note);
        fresh.replace(slow.now.match());
        expect(fresh.at(fresh.commit(note)).roots).toEqual(roots);
      }),
    );
  });

  it("keeps more changes than it holds in memory", () => {
    const store = emptyStore();
    const loaded = emptyStore();
    const quads = Array.from({ length: 9000 }, (_, index) =>
      quad(example(`s${String(index % 3000)}`), example("p"), typed(String(index), XSD_INTEGER)),
    );
    for (const one of quads) store.add(one);
    loaded.load(quads);
    expect(store.now.size).toBe(9000);
    expect(store.at(store.commit(note)).roots).toEqual(loaded.at(loaded.commit(note)).roots);
  });

  it("refuses a quad that RDF does not allow, or that is too long, and changes nothing", () => {
    const store = emptyStore();
    const literal = text("a") as never;
    const wrong = [
      quad(literal, example("p"), text("a")),
      quad(example("a"), literal, text("a")),
      quad(example("a"), example("p"), text("a"), literal),
      quad(example("a"), example("p"), iri("no iri")),
    ];
    for (const one of wrong) {
      expect(() => store.add(one)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
      expect(() => store.load([one])).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
    }
    const long = quad(example("a".repeat(1500)), example("p"), example("b".repeat(1500)));
    expect(() => store.add(long)).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
    expect(() => store.load([long])).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
    expect(store.now.size).toBe(0);
  });
});

describe("a basic graph pattern", () => {
  it("has the solutions that trying everything finds", () => {
    const place = <T>(term: T, name: string): fc.Arbitrary<T | ReturnType<typeof variable>> =>
      fc.constantFrom(term, variable(name), variable("x"), variable("y"));
    const anyPattern = anyQuad.chain(({ subject, predicate, object }) =>
      fc.record({
        subject: place(subject, "s"),
        predicate: place(predicate, "p"),
        object: place(object, "o"),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(anyQuad, { maxLength: 12 }),
        fc.array(anyPattern, { minLength: 1, maxLength: 3 }),
        (quads, patterns) => {
          const store = emptyStore();
          store.load(quads);
          let rows: Map<string, string>[] = [new Map()];
          for (const pattern of patterns) {
            rows = rows.flatMap((row) =>
              [...store.now.match()].flatMap((one) => {
                const next = new Map(row);
                for (const position of ["subject", "predicate", "object"] as const) {
                  const term = pattern[position];
                  const name = nameOf(quad(example("s"), example("p"), one[position]));
                  if (term.termType !== "Variable") {
                    if (!one[position].equals(term)) return [];
                  } else if ((next.get(term.value) ?? name) !== name) {
                    return [];
                  } else {
                    next.set(term.value, name);
                  }
                }
                return [next];
              }),
            );
          }
          const shown = (row: ReadonlyMap<string, string>): string =>
            [...row]
              .map(([name, value]) => `${name}=${value}`)
              .sort()
              .join(" ");
          const solved = [...solve(store.now, patterns)].map((row) =>
            shown(
              new Map(
                [...row].map(([name, term]) => [
                  name,
                  nameOf(quad(example("s"), example("p"), term as never)),
                ]),
              ),
            ),
          );
          expect(solved.sort()).toEqual(rows.map(shown).sort());
        },
      ),
    );
  });
});
