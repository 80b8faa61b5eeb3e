import { DEFAULT_GRAPH, type QuadPattern, solve, substitute } from "../../index.js";
import type { Operation, TriplePattern } from "../algebra.js";
import { UNRESTRICTED } from "./domains.js";
import { partOf } from "./operation-parts.js";
import type { Loading } from "./pattern-part.js";
import { variableName } from "./slots.js";

/**
 * Loads a part of the dataset on which a query has the same solutions as on all of it: a semi-join reduction.
 * Every operator of SPARQL's algebra depends on the dataset only through the solutions of its graph patterns, so
 * it is enough to load the quads that those consist of, as far as they can take part in a solution of the whole.
 * More quads of the dataset do no harm.
 */
export function loadQuery(query: Operation, loading: Loading): void {
  const first = firstSolutions(query);
  if (first === undefined) {
    // FROM builds the default graph from named graphs.
    const scope = query.type === "from" ? undefined : DEFAULT_GRAPH;
    partOf(loading, scope, query).load(UNRESTRICTED);
    return;
  }
  let left = first.count;
  for (const bindings of solve(loading.dataset, first.patterns)) {
    if (left-- === 0) return;
    for (const pattern of first.patterns) {
      for (const quad of loading.dataset.match(substitute(pattern, bindings))) {
        loading.sink.take(quad);
      }
    }
  }
}

/** Patterns any solutions of which will do, and how many. */
interface FirstSolutions {
  readonly patterns: readonly QuadPattern[];
  readonly count: number;
}

/**
 * The part of a query that needs only a few solutions of its patterns: ASK, or SELECT with LIMIT.
 */
function firstSolutions(query: Operation): FirstSolutions | undefined {
  if (query.type === "ask") return patternsOf(query.input, 1);
  if (query.type !== "slice" || query.length === undefined) return undefined;
  const { input, start, length } = query;
  return input.type === "project" ? patternsOf(input.input, start + length) : undefined;
}

function patternsOf(operation: Operation, count: number): FirstSolutions | undefined {
  if (operation.type !== "bgp") return undefined;
  // The terms inside triple terms are not matched one by one here.
  const hasTripleTerms = operation.patterns.some(({ object }) => object.termType === "Quad");
  return hasTripleTerms ? undefined : { patterns: operation.patterns.map(patternOf), count };
}

function patternOf({ subject, predicate, object }: TriplePattern): QuadPattern {
  const slot = (term: TriplePattern["object"]): NonNullable<QuadPattern["object"]> => {
    const name = variableName(term);
    return name === undefined ? term : { termType: "Variable", value: name };
  };
  return {
    subject: slot(subject),
    predicate: slot(predicate),
    object: slot(object),
    graph: DEFAULT_GRAPH,
  };
}
