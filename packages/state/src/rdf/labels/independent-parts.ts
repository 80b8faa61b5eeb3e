import type { Graph } from "./graph.js";
import type { Partition } from "./partition.js";

/** Vertices that can be ordered independently of all others. */
export interface Part {
  /** The vertices, ordered by cell. */
  readonly vertices: readonly number[];
  /**
   * The subgraph of the vertices, renumbered in this order; undefined when the cells determine the
   * order.
   */
  readonly graph: Graph | undefined;
}

/** The structure of a graph after colour refinement. */
export interface IndependentParts {
  /** The vertices in singleton cells, ordered by cell. */
  readonly settled: readonly number[];
  readonly parts: readonly Part[];
  /** Whether the only part is the graph itself. */
  readonly isWhole: boolean;
}

/**
 * The parts of a graph that still have to be ordered. Edges that connect every vertex of a cell
 * with every vertex of another do not distinguish vertices, so they are ignored. The other edges
 * connect a part. Therefore every automorphism of a part is one of the graph, and isomorphic parts
 * are interchangeable.
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

/** The key of the edges with this kind into one cell. */
function joinOf({ kinds, targets, size }: Graph, starts: Int32Array, edge: number): number {
  return (kinds[edge] ?? 0) * size + (starts[targets[edge] ?? 0] ?? 0);
}

/**
 * The edges through which every vertex of this cell is connected to every (other) vertex of a cell.
 */
function uniformJoins(graph: Graph, partition: Partition, start: number): ReadonlySet<number> {
  // After refinement, all vertices of a cell have equally many edges into each cell.
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

/** The vertices reachable from this one, including itself; marks them as visited. */
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

/** The subgraph of these vertices, coloured by cell; undefined when all colours differ. */
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
