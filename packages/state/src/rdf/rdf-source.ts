import { Readable } from "node:stream";
import type { Pattern, Snapshot, TermLike } from "../index.js";

/** A term of an RDF/JS pattern: a term to match, a variable, or none. */
type PatternTerm = TermLike | null | undefined;

/**
 * A dataset as an RDF/JS Source (https://rdf.js.org/stream-spec/#source-interface), with the counts
 * that query engines need to plan joins.
 */
export class RdfSource {
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The matching quads, as an object stream with backpressure. */
  match(
    subject?: PatternTerm,
    predicate?: PatternTerm,
    object?: PatternTerm,
    graph?: PatternTerm,
  ): Readable {
    const pattern = patternOf({ subject, predicate, object, graph });
    return Readable.from(this.#snapshot.match(pattern));
  }

  /** Number of matching quads. */
  countQuads(
    subject?: PatternTerm,
    predicate?: PatternTerm,
    object?: PatternTerm,
    graph?: PatternTerm,
  ): number {
    return this.#snapshot.count(patternOf({ subject, predicate, object, graph }));
  }
}

function patternOf(terms: Readonly<Record<keyof Pattern, PatternTerm>>): Pattern {
  const given = Object.entries(terms).filter(
    ([, term]) => term !== null && term !== undefined && term.termType !== "Variable",
  );
  return Object.fromEntries(given);
}
