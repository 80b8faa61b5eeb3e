import { type BlankQuad, type Component, lineOf } from "./component.js";
import { keyStarts, sortedByKey } from "./counting-sort.js";

/**
 * A graph whose vertices have colours and whose edges have kinds, both numbers from 0. An edge stands with each of
 * its two ends, under a kind for that end. No two edges of one kind lead from a vertex to the same target.
 */
export interface Graph {
  /** Number of vertices. */
  readonly size: number;
  /** By vertex, below `size`. Vertices of different colours are told apart from the start. */
  readonly colours: Int32Array;
  /** By vertex: where its edges begin in `kinds` and `targets`; behind the last one, where they end. */
  readonly offsets: Int32Array;
  /** The edges of each vertex in ascending order of their kinds. */
  readonly kinds: Int32Array;
  /** The vertices at the other ends. */
  readonly targets: Int32Array;
}

/**
 * The component as a graph: a quad with two blank nodes is an edge whose kind is the rest of the quad; one with more
 * is a vertex of its own, with an edge to each. Isomorphic components make isomorphic graphs with the same colours
 * and kinds.
 * @param first by node, its first-degree hash: the colour it starts with. The nodes are the graph's first vertices.
 */
export function graphOf(component: Component, first: readonly string[]): Graph {
  const colours = [...first];
  const edges = new EdgeList();
  for (const one of component.quads) {
    const nodes = [...new Set(one.nodes)];
    const [a = 0, b, ...others] = nodes;
    if (b === undefined) continue;
    const pattern = patternOf(one, nodes);
    if (others.length === 0) {
      edges.add(a, b, pattern);
      continue;
    }
    // No hash begins so: these vertices are told from nodes.
    const vertex = colours.push(`_${pattern}`) - 1;
    nodes.forEach((node, index) => {
      edges.add(vertex, node, String(index));
    });
  }
  return edges.graph(ranks(colours));
}

/** The quad's line, where nodes are labelled in the order in which they first stand there. */
function patternOf(one: BlankQuad, nodes: readonly number[]): string {
  return lineOf(one, (node) => String(nodes.indexOf(node)));
}

class EdgeList {
  readonly #vertices: number[] = [];
  readonly #targets: number[] = [];
  readonly #patterns: string[] = [];

  add(from: number, to: number, pattern: string): void {
    this.#vertices.push(from, to);
    this.#targets.push(to, from);
    this.#patterns.push(pattern);
  }

  graph(colours: Int32Array): Graph {
    const patternRanks = ranks(this.#patterns);
    const vertices = Int32Array.from(this.#vertices);
    const kinds = vertices.map((_, end) => 2 * (patternRanks[end >> 1] ?? 0) + (end & 1));
    const byKind = sortedByKey(kinds, kinds.length);
    const ends = sortedByKey(vertices, colours.length, byKind);
    return {
      size: colours.length,
      colours,
      offsets: keyStarts(vertices, colours.length),
      kinds: ends.map((end) => kinds[end] ?? 0),
      targets: ends.map((end) => this.#targets[end] ?? 0),
    };
  }
}

/** By text: how many different ones are smaller. */
function ranks(texts: readonly string[]): Int32Array {
  const places = new Map([...new Set(texts)].sort().map((text, place) => [text, place]));
  return Int32Array.from(texts, (text) => places.get(text) ?? 0);
}
