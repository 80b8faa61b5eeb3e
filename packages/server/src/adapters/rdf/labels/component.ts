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
  const patterns = new Map<string, QuadPattern>();
  const all = [...quads].flatMap((one) => labelledQuad(one, patterns));
  const numbers = new Map<string, number>();
  for (const { labels } of all) for (const label of labels) numberOf(numbers, label);
  const connected = new DisjointSets(numbers.size);
  const setOf = (label: string): number => connected.find(numbers.get(label) ?? 0);
  for (const { labels } of all) {
    for (const label of labels) connected.unite(setOf(labels[0] ?? ""), setOf(label));
  }
  const drafts = new Map<number, Draft>();
  for (const one of all) {
    const set = setOf(one.labels[0] ?? "");
    const draft = drafts.get(set) ?? new Draft();
    drafts.set(set, draft);
    draft.add(one);
  }
  return [...drafts.values()];
}

/** A quad with the labels that the document gives its blank nodes. */
interface LabelledQuad {
  readonly pattern: QuadPattern;
  readonly labels: readonly string[];
}

/** Takes a quad apart; none when it has no blank nodes. @param patterns those that are known, by their text. */
function labelledQuad(
  { subject, predicate, object, graph }: Quad,
  patterns: Map<string, QuadPattern>,
): readonly LabelledQuad[] {
  const pieces: string[] = [];
  const labels: string[] = [];
  const places: Place[] = [];
  let piece = "";
  const writeTerm = (term: Term, place: Place): void => {
    if (term.termType !== "BlankNode") {
      piece += termText(term);
      return;
    }
    pieces.push(`${piece}_:`);
    labels.push(term.value);
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
  if (labels.length === 0) return [];
  // No term has a line break in its text.
  const text = pieces.join("\n");
  const pattern = patterns.get(text) ?? { pieces, places, predicate: relation };
  patterns.set(text, pattern);
  return [{ pattern, labels }];
}

/** A component that is being collected. */
class Draft implements Component {
  readonly quads: BlankQuad[] = [];
  readonly mentions: BlankQuad[][] = [];
  readonly labels: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #nodesByPattern = new Map<QuadPattern, Set<string>>();

  /** Takes a quad unless it is there already: a dataset is a set. */
  add({ pattern, labels }: LabelledQuad): void {
    const nodes = labels.map((label) => this.#node(label));
    const name = nodes.join(" ");
    let known = this.#nodesByPattern.get(pattern);
    if (known === undefined) {
      known = new Set();
      this.#nodesByPattern.set(pattern, known);
    }
    if (known.has(name)) return;
    known.add(name);
    const one = { pattern, nodes };
    this.quads.push(one);
    for (const node of new Set(nodes)) this.mentions[node]?.push(one);
  }

  #node(label: string): number {
    const node = numberOf(this.#numbers, label);
    if (node === this.labels.length) {
      this.labels.push(label);
      this.mentions.push([]);
    }
    return node;
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
