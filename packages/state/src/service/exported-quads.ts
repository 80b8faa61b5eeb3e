import { setImmediate as nextTurn } from "node:timers/promises";
import { invalidField } from "@steward/kernel/errors.js";
import type { Snapshot } from "../datasets/snapshot.js";
import type { RdfFormat } from "../ports.js";
import { type Graph, quad, type Quad } from "../terms/term.js";

/** Quads examined before the event loop is yielded. */
const QUADS_AT_ONCE = 5000;

/**
 * Refuses a format that cannot represent the dataset. Checks the whole dataset before the first
 * byte is sent, and yields the event loop regularly.
 */
export async function refuseFormat(
  snapshot: Snapshot,
  format: RdfFormat,
  graph: Graph | undefined,
): Promise<void> {
  const hasGraphs = format === "n-quads" || format === "trig" || format === "json-ld";
  const hasTripleTerms = format !== "json-ld";
  if (hasTripleTerms && (hasGraphs || graph !== undefined)) return;
  let seen = 0;
  for (const one of exportedQuads(snapshot, graph)) {
    if (!hasGraphs && one.graph.termType !== "DefaultGraph") {
      const reason = `${format} cannot express named graphs, and the dataset has some`;
      throw invalidField("format", `${reason}: use n-quads, trig or json-ld, or name one graph`);
    }
    if (!hasTripleTerms && one.object.termType === "Quad") {
      const reason = `${format} cannot express triple terms, and the dataset has some`;
      throw invalidField("format", `${reason}: use n-quads or trig`);
    }
    if (++seen % QUADS_AT_ONCE === 0) await nextTurn();
  }
}

/** The quads of an export: all, or those of one graph moved to the default graph. */
export function exportedQuads(snapshot: Snapshot, graph: Graph | undefined): Iterable<Quad> {
  return graph === undefined ? snapshot.match() : withoutGraph(snapshot.match({ graph }));
}

function* withoutGraph(quads: Iterable<Quad>): Generator<Quad> {
  for (const { subject, predicate, object } of quads) yield quad(subject, predicate, object);
}
