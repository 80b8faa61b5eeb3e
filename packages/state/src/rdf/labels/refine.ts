import type { Graph } from "./graph.js";
import type { Partition } from "./partition.js";
import type { StepBudget } from "./step-budget.js";

/**
 * Colour refinement: splits cells until all vertices of a cell have equally many edges of each kind
 * into every cell. As in Hopcroft's algorithm, the largest part of a split cell is not processed
 * again, so each edge is visited O(log n) times (Paige and Tarjan 1987). Refinement stops early
 * when the partition's trace exceeds the trace it is compared with.
 * @param begin the starts of the cells to process: all, or those created since the last refinement.
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
  /** Queue of cells by which other cells are to be split. */
  readonly #queue: number[] = [];
  /** By a cell's start: whether it is in the queue. */
  readonly #isWaiting: Uint8Array;
  /** By vertex: number of edges of the current kind from the current cell. */
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
      // Collected before the first split, because the cell itself may be split.
      for (const [, targets] of this.#targetsByKind(start)) this.#splitBy(targets);
    }
  }

  #enqueue(start: number): void {
    if (this.#isWaiting[start] === 1) return;
    this.#isWaiting[start] = 1;
    this.#queue.push(start);
  }

  /** The targets of edges from a cell, grouped by kind. */
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

  /** Splits the cells of these vertices by the number of each vertex's occurrences. */
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

  /**
   * After splitting by a cell and by all but one of its parts, splitting by the remaining part has
   * no effect, so the largest part is not enqueued.
   */
  #enqueueParts(start: number, parts: readonly number[]): void {
    const { sizes } = this.#partition;
    let spared: number | undefined;
    if (this.#isWaiting[start] === 0) {
      spared = parts.reduce((a, b) => ((sizes[b] ?? 0) > (sizes[a] ?? 0) ? b : a));
    }
    for (const part of parts) if (part !== spared) this.#enqueue(part);
  }
}
