import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { commitId } from "../datasets/commit.js";
import { proveQuad, verifyQuad } from "./commit-proof.js";
import { diffTrees } from "../tree/diff.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { quadOf } from "../terms/quad-key.js";
import { iri, type Quad, quad } from "../terms/term.js";
import { anyObject, anyQuad, namesOf } from "../testing/quads.js";
import { TripleStore } from "../datasets/triple-store.js";

const note = { author: "a", message: "m" };
const anyQuads = fc.array(anyQuad, { maxLength: 30 });

/** The two datasets as commits, one after the other. */
function commits(before: readonly Quad[], after: readonly Quad[]) {
  const blocks = new MemoryBlockStore(systemClock);
  const store = new TripleStore(blocks, systemClock);
  store.load(before);
  const first = store.commit(note);
  store.replace(after);
  return { blocks, store, first, second: store.commit(note) };
}

describe("a commit of any quads", () => {
  it("proves of each quad whether it is there, triple terms and base directions included", () => {
    const said = anyObject.map((object) => quad(iri("a:s"), iri("a:p"), object));
    fc.assert(
      fc.property(anyQuads, fc.oneof(anyQuad, said), (quads, asked) => {
        const { blocks, store, second } = commits([], [...quads, asked].slice(0, 30));
        for (const one of [asked, ...quads]) {
          const proof = proveQuad(blocks, store.blocks, second, one);
          expect(verifyQuad(commitId(second), one, proof)).toBe(store.now.has(one));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("differs from another one by the quads that only one of them has", () => {
    fc.assert(
      fc.property(anyQuads, anyQuads, (before, after) => {
        const { store, first, second } = commits(before, after);
        const [old, now] = [store.at(first), store.at(second)];
        const changes = [...diffTrees(store.blocks, old.roots.spog, now.roots.spog)];
        const told = (added: boolean): Quad[] =>
          changes
            .filter((change) => change.added === added)
            .map(({ key }) => quadOf("spog", key, (hash) => now.body(hash)));
        expect(namesOf(told(true))).toBe(namesOf([...now.match()].filter((one) => !old.has(one))));
        expect(namesOf(told(false))).toBe(namesOf([...old.match()].filter((one) => !now.has(one))));
      }),
      { numRuns: 30 },
    );
  });
});
