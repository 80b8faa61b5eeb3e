import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { STATE_REFS_MAX } from "../limits.js";
import { readCommit } from "../datasets/commit.js";
import type { Hash } from "../blocks/hash.js";
import { importDocument } from "./import-document.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore, RdfDocument } from "../ports.js";
import { QuadTableBuilder } from "../datasets/quad-table.js";
import type { ImportOrder, ImportOutcome } from "./state-answers.js";
import type { Quad } from "../terms/term.js";
import { quad, text } from "../terms/term.js";
import { anyQuad, example, nameOf } from "../testing/quads.js";
import { TripleStore } from "../datasets/triple-store.js";

function documentOf(quads: Iterable<Quad>): RdfDocument {
  const bodies = new Map<Hash, Uint8Array>();
  const builder = new QuadTableBuilder((hash, body) => bodies.set(hash, body));
  for (const one of quads) builder.add(one);
  return { quads: builder.finish(), bodies };
}

function importing(
  store: BlockStore,
  quads: Iterable<Quad>,
  order: Partial<ImportOrder> = {},
  removed?: Iterable<Quad>,
): Generator<undefined, ImportOutcome> {
  return importDocument(store, systemClock, {
    order: { branch: "main", mode: "add", message: "m", ...order },
    document: documentOf(quads),
    removal: removed && documentOf(removed),
    author: "a",
  });
}

describe("an import", () => {
  it("tells how many quads came and went, and makes the dataset that loading would", () => {
    const anyImport = fc.record({
      mode: fc.constantFrom("add", "remove", "replace"),
      quads: fc.array(anyQuad, { maxLength: 15 }),
    });
    fc.assert(
      fc.property(fc.array(anyImport, { maxLength: 6 }), (imports) => {
        const store = new MemoryBlockStore(systemClock);
        let before = new Map<string, Quad>();
        for (const { mode, quads } of imports) {
          const named = quads.map((one) => [nameOf(one), one] as const);
          const after = new Map(mode === "replace" ? [] : before);
          for (const [name, one] of named) {
            if (mode === "remove") after.delete(name);
            else after.set(name, one);
          }
          const { commit, ...told } = withoutPauses(importing(store, quads, { mode }));
          expect(told).toEqual({
            size: after.size,
            added: [...after.keys()].filter((name) => !before.has(name)).length,
            deleted: [...before.keys()].filter((name) => !after.has(name)).length,
          });
          const loaded = new TripleStore(new MemoryBlockStore(systemClock), systemClock);
          loaded.load(after.values());
          const wanted = loaded.at(loaded.commit({ author: "a", message: "m" })).roots;
          expect(new TripleStore(store, systemClock).at(commit).roots).toEqual(wanted);
          before = after;
        }
      }),
      { numRuns: 60 },
    );
  });

  it("pauses after every few thousand quads, so that a large one holds nobody up", () => {
    const store = new MemoryBlockStore(systemClock);
    const many = Array.from({ length: 20_000 }, (_, n) =>
      quad(example(`s${n}`), example("p"), text(`o${n % 100}`)),
    );
    for (const mode of ["add", "add", "replace", "remove"] as const) {
      let pauses = 0;
      const work = importing(store, many, { mode });
      while (work.next().done !== true) pauses += 1;
      // Ten and more in each of two trees; the third one leaves literals out.
      expect(pauses).toBeGreaterThanOrEqual(20);
    }
  });

  it("takes out and adds in one commit, and keeps what both documents say", () => {
    const store = new MemoryBlockStore(systemClock);
    const [old, kept, fresh] = ["old", "kept", "fresh"].map((name) =>
      quad(example("a"), example("p"), text(name)),
    ) as [Quad, Quad, Quad];
    const first = withoutPauses(importing(store, [old, kept]));
    const second = withoutPauses(importing(store, [kept, fresh], {}, [old, kept]));
    expect(second).toMatchObject({ size: 2, added: 1, deleted: 1 });
    expect(readCommit(store, second.commit).parents).toEqual([first.commit]);
    const same = withoutPauses(importing(store, [kept, fresh], {}, [kept]));
    expect(same).toMatchObject({ commit: second.commit, added: 0, deleted: 0 });
  });

  it("is refused where the branch is elsewhere, or there are too many to begin another", () => {
    const store = new MemoryBlockStore(systemClock);
    const one = [quad(example("a"), example("p"), text("x"))];
    const { commit } = withoutPauses(importing(store, one));
    expect(() => withoutPauses(importing(store, one, { expected: null }))).toThrow(
      expect.objectContaining({ code: "STATE_CONFLICT" }) as Error,
    );
    for (let count = 1; count < STATE_REFS_MAX; count++) {
      store.move({ name: `tags/${count}`, expected: undefined, next: commit }, new Map());
    }
    expect(() => withoutPauses(importing(store, one, { branch: "one-more" }))).toThrow(
      expect.objectContaining({ code: "LIMIT_EXCEEDED" }) as Error,
    );
    expect(withoutPauses(importing(store, one)).commit).toBe(commit);
  });
});
