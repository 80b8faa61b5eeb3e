import { type Quad, type Term, termText } from "../../../state/index.js";
import { DisjointSets } from "./disjoint-sets.js";

/** Where in a quad a blank node stands, by the letter that RDFC-1.0 §4.7 gives the place. */
export type Place = "s" | "o" | "g";

/** What quads have in common that differ in their blank nodes only. */
export interface QuadPattern {
  /** The line of N-Quads, cut where labels go: one piece more than there are blank nodes. */
  readonly pieces: readonly string[];
  /** Where the blank nodes stand, in the order of the line. */
  readonly places: readonly Place[];
  /** The predicate as N-Quads writes it. */
  readonly predicate: string;
}

/** A quad with blank nodes, taken apart so that it can be written with any labels. */
export interface BlankQuad {
  readonly pattern: QuadPattern;
  /** The numbers of its blank nodes, in the order of the line. A node may stand in several places. */
  readonly nodes: readonly number[];
}

/** The quads that blank nodes connect with each other, each quad once. The nodes are numbered from 0. */
export interface Component {
  readonly quads: readonly BlankQuad[];
  /** By the number of a node: the quads that it stands in. */
  readonly mentions: readonly (readonly BlankQuad[])[];
  /** By the number of a node: its label in the document. */
  readonly labels: readonly string[];
}

/** The quad's line of N-Quads with these labels, which come without "_:". */
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

/** The parts of a dataset that hang together by blank nodes. Quads without blank nodes belong to none. */
export function componentsOf(quads: Iterable<Quad>): readonly Component[] {
  const numbers = new Map<string, number>();
  const patterns = new Map<string, QuadPattern>();
  // With the numbers that nodes have in the dataset, which the components then change for their own.
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
 * Takes a quad apart; none when it has no blank nodes.
 * @param numbers those that nodes have, by their labels.
 * @param patterns those that are known, by their text.
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
  // No term has a line break in its text.
  const text = pieces.join("\n");
  const pattern = patterns.get(text) ?? { pieces, places, predicate: relation };
  patterns.set(text, pattern);
  return [{ pattern, nodes }];
}

/** A component that is being collected. */
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

/** A dataset is a set: tells whether a quad is the first of its kind. */
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
    // Numbers take less room than texts, and nearly all quads have two nodes at most.
    const key = nodes.length < 3 ? a * this.#nodeCount + b : nodes.join(" ");
    const { size } = seen;
    return seen.add(key).size > size;
  }
}

/** The number of a label: how many there were when it was first asked for. */
function numberOf(numbers: Map<string, number>, label: string): number {
  let number = numbers.get(label);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(label, number);
  }
  return number;
}
