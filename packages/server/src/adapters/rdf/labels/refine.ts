import type { Graph } from "./graph.js";
import type { Partition } from "./partition.js";
import type { StepBudget } from "./step-budget.js";

/**
 * Colour refinement: splits cells until all vertices of a cell have equally many edges of each kind into each other
 * cell. As in Hopcroft's algorithm, of a cell's parts the largest needs no second look, so each edge is looked at
 * O(log n) times: a chain or a list of a hundred thousand nodes takes a moment (Paige and Tarjan 1987).
 * Ends early when the partition's trace is larger than what it is compared with.
 * @param begin the starts of the cells to begin with: all, or those that are new since the last refinement.
 * @throws StepsExhausted.
 */
export function refine(
  graph: Graph,
  partition: Partition,
  begin: Iterable<number>,
  budget: StepBudget,
): void {
  new Refinement(graph, partition, budget).run(begin);
}

class Refinement {
  readonly #graph: Graph;
  readonly #partition: Partition;
  readonly #budget: StepBudget;
  /** The starts of the cells by which others are still to be split, in the order in which they are. */
  readonly #queue: number[] = [];
  /** By a cell's start: whether it waits in the queue. */
  readonly #isWaiting: Uint8Array;
  /** By vertex: how many edges of the kind at hand lead to it from the cell at hand. */
  readonly #counts: Int32Array;

  constructor(graph: Graph, partition: Partition, budget: StepBudget) {
    this.#graph = graph;
    this.#partition = partition;
    this.#budget = budget;
    this.#isWaiting = new Uint8Array(graph.size);
    this.#counts = new Int32Array(graph.size);
  }

  run(begin: Iterable<number>): void {
    for (const start of begin) this.#enqueue(start);
    for (let next = 0; next < this.#queue.length; next++) {
      const { cellCount, trace } = this.#partition;
      if (cellCount === this.#graph.size || trace.isLarger) return;
      const start = this.#queue[next] ?? 0;
      this.#isWaiting[start] = 0;
      // Collected before the first split, which the cell itself may be subject to.
      for (const [, targets] of this.#targetsByKind(start)) this.#splitBy(targets);
    }
  }

  #enqueue(start: number): void {
    if (this.#isWaiting[start] === 1) return;
    this.#isWaiting[start] = 1;
    this.#queue.push(start);
  }

  /** Where the edges from the vertices of a cell lead, in the order of the edges' kinds. */
  #targetsByKind(start: number): readonly (readonly [kind: number, targets: readonly number[]])[] {
    const { offsets, kinds, targets } = this.#graph;
    const byKind = new Map<number, number[]>();
    for (const vertex of this.#partition.cell(start)) {
      const end = offsets[vertex + 1] ?? 0;
      this.#budget.spend(1 + end - (offsets[vertex] ?? 0));
      for (let edge = offsets[vertex] ?? 0; edge < end; edge++) {
        const kind = kinds[edge] ?? 0;
        const known = byKind.get(kind);
        if (known === undefined) byKind.set(kind, [targets[edge] ?? 0]);
        else known.push(targets[edge] ?? 0);
      }
    }
    return byKind.size === 1 ? [...byKind] : [...byKind].sort(([a], [b]) => a - b);
  }

  /** Splits the cells of these vertices by how often each vertex is among them. */
  #splitBy(targets: readonly number[]): void {
    const touched = new Map<number, number[]>();
    for (const target of targets) {
      const start = this.#partition.starts[target] ?? 0;
      if (this.#partition.sizes[start] === 1) continue;
      const count = this.#counts[target] ?? 0;
      this.#counts[target] = count + 1;
      if (count > 0) continue;
      const known = touched.get(start);
      if (known === undefined) touched.set(start, [target]);
      else known.push(target);
    }
    const cells = touched.size < 2 ? [...touched] : [...touched].sort(([a], [b]) => a - b);
    for (const [start, vertices] of cells) {
      const parts = this.#partition.split(start, vertices, this.#counts);
      if (parts.length > 1) this.#enqueueParts(start, parts);
    }
    for (const target of targets) this.#counts[target] = 0;
  }

  /** Once others are split by a cell and by all of its parts but one, they are split by that one too. */
  #enqueueParts(start: number, parts: readonly number[]): void {
    const { sizes } = this.#partition;
    let spared: number | undefined;
    if (this.#isWaiting[start] === 0) {
      spared = parts.reduce((a, b) => ((sizes[b] ?? 0) > (sizes[a] ?? 0) ? b : a));
    }
    for (const part of parts) if (part !== spared) this.#enqueue(part);
  }
}
