import { type BlankQuad, type Component, lineOf } from "./component.js";
import { keyStarts, sortedByKey } from "./counting-sort.js";

/**
 * A graph with coloured vertices and edges of several kinds; colours and kinds are numbers from 0.
 * An edge is stored at both ends, with a kind for each end. A vertex has at most one edge of a kind
 * to a given target.
 */
export interface Graph {
  /** Number of vertices. */
  readonly size: number;
  /** By vertex, below `size`. Vertices of different colours are distinct from the start. */
  readonly colours: Int32Array;
  /** By vertex: start of its edges in `kinds` and `targets`; at the end, the number of edges. */
  readonly offsets: Int32Array;
  /** The kinds of each vertex's edges, ascending. */
  readonly kinds: Int32Array;
  /** The vertices at the other ends. */
  readonly targets: Int32Array;
}

/**
 * Converts a component to a graph. A quad with two blank nodes is an edge, whose kind is the rest
 * of the quad. A quad with more blank nodes is a vertex with an edge to each of them. Isomorphic
 * components give isomorphic graphs with the same colours and kinds.
 * @param first by node: its first-degree hash, which determines its initial colour. The nodes are
 * the graph's first vertices.
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
    // No hash starts with "_", so these vertices differ from nodes.
    const vertex = colours.push(`_${pattern}`) - 1;
    nodes.forEach((node, index) => {
      edges.add(vertex, node, String(index));
    });
  }
  return edges.graph(ranks(colours));
}

/** The quad's line, with nodes labelled in the order of their first occurrence. */
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

/** By text: the number of distinct smaller texts. */
function ranks(texts: readonly string[]): Int32Array {
  const places = new Map([...new Set(texts)].sort().map((text, place) => [text, place]));
  return Int32Array.from(texts, (text) => places.get(text) ?? 0);
}
