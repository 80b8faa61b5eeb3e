import { AppError } from "../../kernel/errors.js";
import {
  blank,
  blankLabels,
  hashOf,
  nQuad,
  type ObjectTerm,
  quad,
  type Quad,
  type Term,
  tripleTerm,
} from "../../state/index.js";
import { encodeTripleTerms } from "./encode-triple-terms.js";

/** How hard a document may be: RDFC-1.0 takes exponential time on ones that are made for it. */
const WORK_FACTOR_MAX = 2;
const LABEL_MS_MAX = 10_000;
/** Hexadecimal digits of a component's hash in its labels: 128 bits. */
const HASH_DIGITS = 32;

/**
 * Gives blank nodes labels that follow from what is said about them: the hash of the part of the dataset that
 * hangs together by blank nodes, in the canonical form of RDFC-1.0, and the node's number there. So the same
 * document always makes the same quads, and what different documents say of their own nodes stays apart.
 * @throws AppError `LIMIT_EXCEEDED` when the labels would take too long to find.
 */
export async function labelBlankNodes(quads: readonly Quad[]): Promise<readonly Quad[]> {
  const components = componentsOf(encodeTripleTerms(quads));
  if (components.length === 0) return quads;
  const labels = new Map<string, string>();
  const copies = new Map<string, number>();
  const signal = AbortSignal.timeout(LABEL_MS_MAX);
  for (const component of components) {
    const canonical = await canonicalLabels(component, signal);
    const name = componentName(component, canonical);
    // Parts that say the same are as many as they were.
    const copy = copies.get(name) ?? 0;
    copies.set(name, copy + 1);
    const suffix = copy === 0 ? "" : `x${copy}`;
    for (const [old, label] of canonical)
      labels.set(old, label.replace(/^c14n/, `${name}n`) + suffix);
  }
  return quads.map((one) => relabelled(one, labels));
}

/** The quads that have blank nodes, those together that are linked by them. */
function componentsOf(quads: readonly Quad[]): readonly (readonly Quad[])[] {
  const parents = new Map<string, string>();
  const top = (label: string): string => {
    let at = label;
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) {
      const above = parents.get(up) ?? up;
      parents.set(at, above);
      at = above;
    }
    return at;
  };
  for (const one of quads) {
    const [first, ...others] = blankLabels(one);
    if (first === undefined) continue;
    if (!parents.has(first)) parents.set(first, first);
    for (const other of others) parents.set(top(other), top(first));
  }
  const components = new Map<string, Quad[]>();
  for (const one of quads) {
    const [first] = blankLabels(one);
    if (first === undefined) continue;
    const name = top(first);
    const component = components.get(name);
    if (component === undefined) components.set(name, [one]);
    else component.push(one);
  }
  return [...components.values()];
}

async function canonicalLabels(
  component: readonly Quad[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const labels = new Set(component.flatMap(blankLabels));
  // A single node has but one label it can be given.
  if (labels.size === 1) return new Map([...labels].map((label) => [label, "c14n0"]));
  const { default: rdfCanonize } = await import("rdf-canonize");
  const canonicalIdMap = new Map<string, string>();
  try {
    await rdfCanonize.canonize(component, {
      algorithm: "RDFC-1.0",
      canonicalIdMap,
      maxWorkFactor: WORK_FACTOR_MAX,
      signal,
    });
  } catch (error) {
    throw new AppError(
      "LIMIT_EXCEEDED",
      "content: Its blank nodes are too much alike to be told apart: give some of them IRIs",
      { cause: error },
    );
  }
  return canonicalIdMap;
}

function componentName(component: readonly Quad[], canonical: ReadonlyMap<string, string>): string {
  const lines = new Set(component.map((one) => nQuad(relabelled(one, canonical))));
  const text = [...lines].sort().join("");
  return `b${hashOf(Buffer.from(text)).slice(0, HASH_DIGITS)}`;
}

function relabelled(one: Quad, labels: ReadonlyMap<string, string>): Quad {
  if (blankLabels(one).length === 0) return one;
  const { subject, predicate, object, graph } = one;
  return quad(
    relabelledNode(subject, labels),
    predicate,
    relabelledObject(object, labels),
    relabelledNode(graph, labels),
  );
}

function relabelledObject(term: ObjectTerm, labels: ReadonlyMap<string, string>): ObjectTerm {
  if (term.termType !== "Quad") return relabelledNode(term, labels);
  const { subject, predicate, object } = term;
  return tripleTerm(relabelledNode(subject, labels), predicate, relabelledObject(object, labels));
}

function relabelledNode<T extends Term>(term: T, labels: ReadonlyMap<string, string>): T {
  const next = term.termType === "BlankNode" ? labels.get(term.value) : undefined;
  // A blank node takes the place of a blank node.
  return next === undefined ? term : (blank(next) as T);
}
