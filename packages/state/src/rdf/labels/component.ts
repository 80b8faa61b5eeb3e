import { type Quad, type Term, termText } from "../../index.js";
import { DisjointSets } from "./disjoint-sets.js";

/** A blank node's position in a quad, as the letter that RDFC-1.0 §4.7 uses. */
export type Place = "s" | "o" | "g";

/** The part of a quad that remains when its blank nodes are removed. */
export interface QuadPattern {
  /** The line of N-Quads, split at the labels: one piece more than there are blank nodes. */
  readonly pieces: readonly string[];
  /** The positions of the blank nodes, in the order of the line. */
  readonly places: readonly Place[];
  /** The predicate in N-Quads syntax. */
  readonly predicate: string;
}

/** A quad with blank nodes, stored so that it can be written with any labels. */
export interface BlankQuad {
  readonly pattern: QuadPattern;
  /** The numbers of its blank nodes, in the order of the line. A node may occur more than once. */
  readonly nodes: readonly number[];
}

/**
 * A connected component: quads connected through blank nodes, without duplicates. Nodes are
 * numbered from 0.
 */
export interface Component {
  readonly quads: readonly BlankQuad[];
  /** By node: the quads in which it occurs. */
  readonly mentions: readonly (readonly BlankQuad[])[];
  /** By node: its label in the document. */
  readonly labels: readonly string[];
}

/** The quad's line of N-Quads with these labels, which are given without "_:". */
export function lineOf(
  { pattern: { pieces }, nodes }: BlankQuad,
  labelOf: (node: number) => string,
): string {
  let line = pieces[0] ?? "";
  for (let index = 0; index < nodes.length; index++) {
    line += labelOf(nodes[index] ?? 0) + (pieces[index + 1] ?? "");
  }
  return line;
}

/** The connected components of a dataset. Quads without blank nodes belong to none. */
export function componentsOf(quads: Iterable<Quad>): readonly Component[] {
  const numbers = new Map<string, number>();
  const patterns = new Map<string, QuadPattern>();
  // Nodes are first numbered per dataset; the components renumber them.
  const all = [...quads].flatMap((one) => blankQuad(one, numbers, patterns));
  const connected = new DisjointSets(numbers.size);
  for (const { nodes } of all) for (const node of nodes) connected.unite(nodes[0] ?? 0, node);
  const drafts = new Map<number, Draft>();
  const local = new Int32Array(numbers.size);
  for (const [label, node] of numbers) {
    const set = connected.find(node);
    const draft = drafts.get(set) ?? new Draft();
    drafts.set(set, draft);
    local[node] = draft.addNode(label);
  }
  const seen = new SeenQuads(numbers.size);
  for (const one of all) {
    if (!seen.isNew(one)) continue;
    drafts.get(connected.find(one.nodes[0] ?? 0))?.addQuad({
      pattern: one.pattern,
      nodes: one.nodes.map((node) => local[node] ?? 0),
    });
  }
  return [...drafts.values()];
}

/**
 * Parses a quad; undefined when it has no blank nodes.
 * @param numbers the nodes' numbers, by label.
 * @param patterns known patterns, by text.
 */
function blankQuad(
  { subject, predicate, object, graph }: Quad,
  numbers: Map<string, number>,
  patterns: Map<string, QuadPattern>,
): readonly BlankQuad[] {
  const pieces: string[] = [];
  const nodes: number[] = [];
  const places: Place[] = [];
  let piece = "";
  const writeTerm = (term: Term, place: Place): void => {
    if (term.termType !== "BlankNode") {
      piece += termText(term);
      return;
    }
    pieces.push(`${piece}_:`);
    nodes.push(numberOf(numbers, term.value));
    places.push(place);
    piece = "";
  };
  const relation = termText(predicate);
  writeTerm(subject, "s");
  piece += ` ${relation} `;
  writeTerm(object, "o");
  if (graph.termType !== "DefaultGraph") {
    piece += " ";
    writeTerm(graph, "g");
  }
  pieces.push(`${piece} .\n`);
  if (nodes.length === 0) return [];
  // No encoded term contains a line break.
  const text = pieces.join("\n");
  const pattern = patterns.get(text) ?? { pieces, places, predicate: relation };
  patterns.set(text, pattern);
  return [{ pattern, nodes }];
}

/** A component under construction. */
class Draft implements Component {
  readonly quads: BlankQuad[] = [];
  readonly mentions: BlankQuad[][] = [];
  readonly labels: string[] = [];

  /** @returns the node's number. */
  addNode(label: string): number {
    this.mentions.push([]);
    return this.labels.push(label) - 1;
  }

  addQuad(one: BlankQuad): void {
    this.quads.push(one);
    for (const node of new Set(one.nodes)) this.mentions[node]?.push(one);
  }
}

/** Removes duplicate quads. */
class SeenQuads {
  readonly #nodeCount: number;
  readonly #seen = new Map<QuadPattern, Set<number | string>>();

  constructor(nodeCount: number) {
    this.#nodeCount = nodeCount;
  }

  isNew({ pattern, nodes }: BlankQuad): boolean {
    let seen = this.#seen.get(pattern);
    if (seen === undefined) {
      seen = new Set();
      this.#seen.set(pattern, seen);
    }
    const [a = 0, b = 0] = nodes;
    // Numbers are smaller than texts, and nearly all quads have two nodes at most.
    const key = nodes.length < 3 ? a * this.#nodeCount + b : nodes.join(" ");
    const { size } = seen;
    return seen.add(key).size > size;
  }
}

/** The number of a label; numbers are assigned in the order of first use. */
function numberOf(numbers: Map<string, number>, label: string): number {
  let number = numbers.get(label);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(label, number);
  }
  return number;
}
