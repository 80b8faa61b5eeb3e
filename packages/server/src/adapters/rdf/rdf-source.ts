import { Readable } from "node:stream";
import type { Pattern, Snapshot, TermLike } from "../../state/index.js";

/** A term of a pattern of RDF/JS: one to match, a variable, or none. */
type PatternTerm = TermLike | null | undefined;

/**
 * A dataset as an RDF/JS Source (https://rdf.js.org/stream-spec/#source-interface), for the libraries of
 * that family; with the counts by which query engines plan their joins.
 */
export class RdfSource {
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The quads with these terms, as a stream of objects that is read only as fast as it is taken. */
  match(
    subject?: PatternTerm,
    predicate?: PatternTerm,
    object?: PatternTerm,
    graph?: PatternTerm,
  ): Readable {
    const pattern = patternOf({ subject, predicate, object, graph });
    return Readable.from(this.#snapshot.match(pattern));
  }

  /** How many quads have these terms. */
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
