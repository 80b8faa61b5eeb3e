import oxigraph from "oxigraph";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { BlockCache, MemoryBlockStore, nQuad, type Quad, TripleStore } from "../../index.js";
import type { QueryAnswer, StoredDataset } from "../../ports.js";
import { QueryAnswerer } from "../child/answer-query.js";
import { evaluate } from "../child/evaluate.js";
import type { Oxigraph } from "../child/oxigraph.js";

const engine = oxigraph as unknown as Oxigraph;

/** The quads, stored. @param orgId whose dataset it is. */
export function datasetOf(quads: Iterable<Quad>, orgId: string = NIL_ORG_ID): StoredDataset {
  const blocks = new MemoryBlockStore(systemClock);
  const store = new TripleStore(blocks, systemClock);
  store.load(quads);
  store.commit({ author: "", message: "" });
  return { orgId, blocks, roots: store.now.roots };
}

/** Asks a dataset in this process. @param wholeQuadsMax up to how many quads it is loaded as a whole. */
export function asking(
  dataset: StoredDataset,
  wholeQuadsMax = -1,
): (sparql: string) => QueryAnswer {
  const limits = { quadsMax: 100_000, wholeQuadsMax, answerBytesMax: 1e8 };
  const answerer = new QueryAnswerer(engine, new BlockCache(dataset.blocks), limits);
  return (sparql) => answerer.answer({ roots: dataset.roots, sparql });
}

/** The answer of the engine alone, with all quads and without rewriting. */
export function engineAnswer(quads: Iterable<Quad>, sparql: string): QueryAnswer {
  const store = new engine.Store();
  const text = [...quads].map(nQuad).join("");
  store.load(text, { format: "application/n-quads", lenient: true });
  return evaluate(store, sparql, 1e8);
}

/** An answer as lines in no particular order, so that answers can be compared. */
export function linesOf(answer: QueryAnswer): readonly string[] {
  switch (answer.kind) {
    case "boolean":
      return [String(answer.value)];
    case "quads":
      return answer.quads.map((quad) => JSON.stringify(quad)).sort();
    case "solutions":
      return answer.rows
        .map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
        .sort();
  }
}
