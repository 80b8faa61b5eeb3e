import type { Graph } from "./graph.js";
import type { Partition } from "./partition.js";

/** Vertices that can be ordered without regard to any others. */
export interface Part {
  /** The vertices in the order of their cells. */
  readonly vertices: readonly number[];
  /** The vertices, numbered in this order, and the edges among them; undefined when their cells order them. */
  readonly graph: Graph | undefined;
}

/** What colour refinement leaves of a graph. */
export interface IndependentParts {
  /** The vertices with a cell of their own, in the order of the cells. */
  readonly settled: readonly number[];
  readonly parts: readonly Part[];
  /** Whether there is one part, and it is the graph. */
  readonly isWhole: boolean;
}

/**
 * The parts of a graph that are still to be ordered. Where each vertex of a cell has an edge to each of another, none
 * of these edges tells one vertex from another. The other edges connect the parts: so an automorphism of a part is
 * one of the graph, and isomorphic parts can take each other's place.
 * @param partition refined.
 */
export function independentParts(graph: Graph, partition: Partition): IndependentParts {
  const { starts, sizes, vertices: all } = partition;
  const settled = [...all].filter((vertex) => sizes[starts[vertex] ?? 0] === 1);
  if (settled.length === graph.size) return { settled, parts: [], isWhole: false };
  const connections = withoutUniformEdges(graph, partition);
  const places = new Int32Array(graph.size).fill(UNSEEN);
  for (const vertex of settled) places[vertex] = 0;
  const parts: Part[] = [];
  for (const first of all) {
    if (places[first] !== UNSEEN) continue;
    const vertices = connectedTo(first, connections, places);
    vertices.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
    vertices.forEach((vertex, place) => (places[vertex] = place));
    parts.push({ vertices, graph: unorderedGraph(connections, vertices, starts, places) });
  }
  const isWhole =
    parts[0]?.vertices.length === graph.size && connections.kinds.length === graph.kinds.length;
  return { settled, parts, isWhole };
}

const UNSEEN = -1;

function withoutUniformEdges(graph: Graph, partition: Partition): Graph {
  const { starts } = partition;
  const uniform = new Map<number, ReadonlySet<number>>();
  for (const start of partition.cells()) uniform.set(start, uniformJoins(graph, partition, start));
  return filtered(
    graph,
    (vertex, edge) => !uniform.get(starts[vertex] ?? 0)?.has(joinOf(graph, starts, edge)),
  );
}

/** Names the edges of this edge's kind into the cell that it leads to. */
function joinOf({ kinds, targets, size }: Graph, starts: Int32Array, edge: number): number {
  return (kinds[edge] ?? 0) * size + (starts[targets[edge] ?? 0] ?? 0);
}

/** The edges by which each vertex of this cell is connected to each, other, vertex of a cell. */
function uniformJoins(graph: Graph, partition: Partition, start: number): ReadonlySet<number> {
  // All vertices of a cell have equally many edges into each cell.
  const [vertex = 0] = partition.cell(start);
  const counts = new Map<number, number>();
  const { offsets, size } = graph;
  for (let edge = offsets[vertex] ?? 0; edge < (offsets[vertex + 1] ?? 0); edge++) {
    const join = joinOf(graph, partition.starts, edge);
    counts.set(join, (counts.get(join) ?? 0) + 1);
  }
  const isUniform = ([join, count]: readonly [number, number]): boolean => {
    const target = join % size;
    return count === (partition.sizes[target] ?? 0) - (target === start ? 1 : 0);
  };
  return new Set([...counts].filter(isUniform).map(([join]) => join));
}

function filtered(graph: Graph, isKept: (vertex: number, edge: number) => boolean): Graph {
  const offsets = new Int32Array(graph.size + 1);
  const kinds = new Int32Array(graph.kinds.length);
  const targets = new Int32Array(graph.kinds.length);
  let end = 0;
  for (let vertex = 0; vertex < graph.size; vertex++) {
    for (let edge = graph.offsets[vertex] ?? 0; edge < (graph.offsets[vertex + 1] ?? 0); edge++) {
      if (!isKept(vertex, edge)) continue;
      kinds[end] = graph.kinds[edge] ?? 0;
      targets[end++] = graph.targets[edge] ?? 0;
    }
    offsets[vertex + 1] = end;
  }
  return { ...graph, offsets, kinds: kinds.subarray(0, end), targets: targets.subarray(0, end) };
}

/** The vertices that can be reached from this one, itself included; all of them are marked as seen. */
function connectedTo(first: number, { offsets, targets }: Graph, places: Int32Array): number[] {
  const found = [first];
  places[first] = 0;
  for (let next = 0; next < found.length; next++) {
    const vertex = found[next] ?? 0;
    for (let edge = offsets[vertex] ?? 0; edge < (offsets[vertex + 1] ?? 0); edge++) {
      const target = targets[edge] ?? 0;
      if (places[target] !== UNSEEN) continue;
      places[target] = 0;
      found.push(target);
    }
  }
  return found;
}

/** The graph of these vertices, coloured by their cells; undefined when each has another colour. */
function unorderedGraph(
  graph: Graph,
  vertices: readonly number[],
  starts: Int32Array,
  places: Int32Array,
): Graph | undefined {
  const colours = new Int32Array(vertices.length);
  for (let place = 1; place < vertices.length; place++) {
    const isNext = starts[vertices[place] ?? 0] !== starts[vertices[place - 1] ?? 0];
    colours[place] = (colours[place - 1] ?? 0) + (isNext ? 1 : 0);
  }
  if (colours.at(-1) === vertices.length - 1) return undefined;
  const offsets = new Int32Array(vertices.length + 1);
  vertices.forEach((vertex, place) => {
    const degree = (graph.offsets[vertex + 1] ?? 0) - (graph.offsets[vertex] ?? 0);
    offsets[place + 1] = (offsets[place] ?? 0) + degree;
  });
  const kinds = new Int32Array(offsets.at(-1) ?? 0);
  const targets = new Int32Array(kinds.length);
  let end = 0;
  for (const vertex of vertices) {
    for (let edge = graph.offsets[vertex] ?? 0; edge < (graph.offsets[vertex + 1] ?? 0); edge++) {
      kinds[end] = graph.kinds[edge] ?? 0;
      targets[end++] = places[graph.targets[edge] ?? 0] ?? 0;
    }
  }
  return { size: vertices.length, colours, offsets, kinds, targets };
}
