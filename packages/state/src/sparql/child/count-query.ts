import { DEFAULT_GRAPH, type Snapshot, type TermLike } from "../../index.js";
import type { QueryAnswer } from "../../ports.js";
import type { Operation } from "../algebra.js";
import { isOpen } from "../semijoin/slots.js";

const XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer";

/**
 * Answers SELECT (COUNT(*) AS ?n) over a single triple pattern from the trees, without the engine,
 * for datasets of any size.
 * @returns undefined for any other query.
 */
export function countedAnswer(query: Operation, dataset: Snapshot): QueryAnswer | undefined {
  if (query.type !== "project" || query.variables.length > 1) return undefined;
  const { input: extend } = query;
  if (extend.type !== "extend" || extend.input.type !== "group") return undefined;
  const { input: group, variable } = extend;
  if (group.variables.length > 0 || !isCount(group.aggregates) || !isTerm(extend.expression)) {
    return undefined;
  }
  const pattern = onlyTriple(group.input);
  if (pattern === undefined) return undefined;
  const count = dataset.count({ ...pattern, graph: DEFAULT_GRAPH });
  const value = { type: "literal", value: String(count), datatype: XSD_INTEGER } as const;
  return { kind: "solutions", variables: [variable.value], rows: [{ [variable.value]: value }] };
}

function isTerm({ subType }: { readonly subType: string }): boolean {
  return subType === "term";
}

function isCount(
  aggregates: Extract<Operation, { readonly type: "group" }>["aggregates"],
): boolean {
  const [only, ...others] = aggregates;
  if (only?.subType !== "aggregate" || others.length > 0) return false;
  return only.aggregator === "count" && !only.distinct && only.expression.subType === "wildcard";
}

/** The terms of the only triple pattern; its variables must be distinct. */
function onlyTriple(input: Operation): Readonly<Record<string, TermLike>> | undefined {
  if (input.type !== "bgp") return undefined;
  const [only, ...others] = input.patterns;
  if (only === undefined || others.length > 0) return undefined;
  const { subject, predicate, object } = only;
  const terms = Object.entries({ subject, predicate, object });
  const open = terms.filter(([, term]) => isOpen(term));
  const names = new Set(open.map(([, { termType, value }]) => `${termType} ${value}`));
  const isPlain = names.size === open.length && open.every(([, term]) => term.termType !== "Quad");
  return isPlain ? Object.fromEntries(terms.filter((term) => !open.includes(term))) : undefined;
}
