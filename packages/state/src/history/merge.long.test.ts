import { expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { STATE_MERGE_CHANGES_MAX } from "../limits.js";
import { BlockCache } from "../tree/block-cache.js";
import { MemoryBlockStore } from "../blocks/memory-block-store.js";
import { mergeTrees } from "./merge.js";
import { quad, text } from "../terms/term.js";
import { example } from "../testing/quads.js";
import { EMPTY_ROOTS, TripleStore } from "../datasets/triple-store.js";

it("a merge of more changes than may be is refused, and says what to do", () => {
  const store = new MemoryBlockStore(systemClock);
  const triples = new TripleStore(store, systemClock);
  const many = function* (): Generator<ReturnType<typeof quad>> {
    for (let index = 0; index <= STATE_MERGE_CHANGES_MAX; index++) {
      yield quad(example("s"), example("p"), text(String(index)));
    }
  };
  triples.load(many());
  const { roots: theirs } = triples.at(triples.commit({ author: "a", message: "m" }));
  const versions = {
    base: EMPTY_ROOTS,
    ours: EMPTY_ROOTS,
    theirs,
    singleValued: new Set<string>(),
  };
  expect(() => mergeTrees(new BlockCache(store), versions)).toThrow(
    /more than 200000 changes \(STATE_MERGE_CHANGES_MAX\).*POST \/api\/state\/refs/,
  );
});
