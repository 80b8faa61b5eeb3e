import { compareDigests, sha256 } from "./digest.js";
import { DisjointSets } from "./disjoint-sets.js";
import type { Graph } from "./graph.js";
import { independentParts, type Part } from "./independent-parts.js";
import { Partition } from "./partition.js";
import { refine } from "./refine.js";
import type { StepBudget } from "./step-budget.js";
import { Trace } from "./trace.js";

/**
 * A canonical order of a graph's vertices, which does not depend on their numbering: in isomorphic
 * graphs, vertices at equal positions correspond to each other.
 *
 * First, colour refinement orders vertices that differ. The remaining vertices are split into
 * independent parts, each of which is ordered separately. A part that cannot be split is searched
 * as in nauty (McKay and Piperno 2014): every vertex of a cell is tried as the first of the cell,
 * except vertices that an automorphism maps to one tried before.
 * @throws StepsExhausted for adversarial graphs.
 */
export function canonicalOrder(graph: Graph, budget: StepBudget): readonly number[] {
  const partition = Partition.byColour(graph);
  refine(graph, partition, [...partition.cells()], budget);
  return new Search(budget).order(graph, partition, "best").vertices;
}

/** Whether the search must return the best order, or may return any candidate. */
type Aim = "best" | "any";

interface Order {
  readonly vertices: readonly number[];
  /** Whether a search was made, so that "any" may differ from "best". */
  readonly isChosen: boolean;
  /** Vertices known to be mapped to each other by automorphisms are in one set. */
  readonly orbits: DisjointSets;
}

/** A part whose vertices are ordered. */
interface OrderedPart extends Omit<Order, "orbits"> {
  /** The cell of its first vertex. Two parts that share one cell share all cells. */
  readonly start: number;
  /** Equal for isomorphic parts, among parts with the same cells and size. */
  readonly digest: string;
}

class Search {
  readonly #budget: StepBudget;

  constructor(budget: StepBudget) {
    this.#budget = budget;
  }

  /** @param partition refined. */
  order(graph: Graph, partition: Partition, aim: Aim): Order {
    this.#budget.spend(graph.size + graph.kinds.length);
    const { settled, parts, isWhole } = independentParts(graph, partition);
    if (isWhole) return this.#search(graph, partition, aim);
    const orbits = new DisjointSets(graph.size);
    const ordered = parts.map((part) => this.#orderPart(part, partition, orbits, aim));
    ordered.sort(compareParts);
    for (const [index, part] of ordered.entries()) {
      const before = ordered[index - 1];
      if (before === undefined || compareParts(before, part) !== 0) continue;
      // Isomorphic parts are interchangeable.
      uniteAll(orbits, before.vertices, part.vertices);
    }
    return {
      vertices: [settled, ...ordered.map(({ vertices }) => vertices)].flat(),
      isChosen: ordered.some(({ isChosen }) => isChosen),
      orbits,
    };
  }

  #orderPart(part: Part, partition: Partition, orbits: DisjointSets, aim: Aim): OrderedPart {
    const { vertices, graph } = part;
    const start = partition.starts[vertices[0] ?? 0] ?? 0;
    if (graph === undefined) return { start, vertices, digest: "", isChosen: false };
    // Each cell of the part is unchanged, so it is refined already.
    const inner = this.#budget.nested(() => this.order(graph, Partition.byColour(graph), aim));
    const outer = (vertex: number): number => vertices[vertex] ?? 0;
    vertices.forEach((vertex, place) => {
      orbits.unite(vertex, outer(inner.orbits.find(place)));
    });
    return {
      start,
      vertices: inner.vertices.map(outer),
      digest: this.#digest(graph, inner.vertices),
      isChosen: inner.isChosen,
    };
  }

  /** Orders a graph that cannot be split into parts. */
  #search(graph: Graph, partition: Partition, aim: Aim): Order {
    const cell = [...partition.cell(smallestCell(partition))];
    const [first = 0] = cell;
    const found = this.#budget.nested(() =>
      aim === "best"
        ? this.#bestOrder(graph, partition, cell)
        : this.order(graph, this.#individualized(graph, partition, first, new Trace()), aim),
    );
    return { ...found, isChosen: true };
  }

  #bestOrder(graph: Graph, partition: Partition, cell: readonly number[]): Order {
    const orbits = new DisjointSets(graph.size);
    const tried: number[] = [];
    /** By digest: the first order that produced it. */
    const seen = new Map<string, readonly number[]>();
    let best: Candidate | undefined;
    for (const vertex of cell) {
      this.#budget.spend(tried.length);
      if (tried.some((other) => orbits.find(other) === orbits.find(vertex))) continue;
      tried.push(vertex);
      const trace = new Trace(best?.trace);
      const child = this.#individualized(graph, partition, vertex, trace);
      if (trace.isLarger) continue;
      const any = this.order(graph, child, "any");
      const anyDigest = this.#digest(graph, any.vertices);
      const alike = seen.get(anyDigest);
      if (alike !== undefined) {
        // The automorphism between the two orders maps a vertex tried before to this one.
        uniteAll(orbits, alike, any.vertices);
        continue;
      }
      seen.set(anyDigest, any.vertices);
      const found = any.isChosen ? this.order(graph, child, "best") : any;
      for (const other of graph.colours.keys()) orbits.unite(other, found.orbits.find(other));
      const { vertices } = found;
      const digest = any.isChosen ? this.#digest(graph, vertices) : anyDigest;
      if (best === undefined || trace.isSmaller || digest < best.digest) {
        best = { trace, digest, vertices };
      } else if (digest === best.digest) {
        uniteAll(orbits, best.vertices, vertices);
      }
    }
    return { vertices: best?.vertices ?? [], isChosen: true, orbits };
  }

  /** Splits this vertex from its cell, as the first, and refines the partition. */
  #individualized(graph: Graph, partition: Partition, vertex: number, trace: Trace): Partition {
    this.#budget.spend(graph.size);
    const child = partition.copy(trace);
    refine(graph, child, [child.isolate(vertex)], this.#budget);
    return child;
  }

  /** Equal for two orders of a graph exactly when an automorphism maps one to the other. */
  #digest(graph: Graph, order: readonly number[]): string {
    const { size, colours, offsets, kinds, targets } = graph;
    this.#budget.spend(size + kinds.length);
    const places = new Int32Array(size);
    order.forEach((vertex, place) => (places[vertex] = place));
    const facts = new Float64Array(2 * size + kinds.length);
    let end = 0;
    for (const vertex of order) {
      const [from = 0, to = 0] = offsets.subarray(vertex, vertex + 2);
      facts[end++] = colours[vertex] ?? 0;
      facts[end++] = to - from;
      const start = end;
      for (let edge = from; edge < to; edge++) {
        facts[end++] = (kinds[edge] ?? 0) * size + (places[targets[edge] ?? 0] ?? 0);
      }
      facts.subarray(start, end).sort();
    }
    return sha256(new Uint8Array(facts.buffer));
  }
}

interface Candidate {
  readonly trace: Trace;
  readonly digest: string;
  readonly vertices: readonly number[];
}

function compareParts(a: OrderedPart, b: OrderedPart): number {
  return (
    a.start - b.start || a.vertices.length - b.vertices.length || compareDigests(a.digest, b.digest)
  );
}

/** The start of the first of the smallest cells. */
function smallestCell(partition: Partition): number {
  const { sizes } = partition;
  return [...partition.cells()].reduce((a, b) => ((sizes[b] ?? 0) < (sizes[a] ?? 0) ? b : a));
}

/** Unites vertices at equal positions. */
function uniteAll(orbits: DisjointSets, a: readonly number[], b: readonly number[]): void {
  a.forEach((vertex, place) => {
    orbits.unite(vertex, b[place] ?? vertex);
  });
}
