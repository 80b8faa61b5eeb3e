import { graphlib, layout } from "@dagrejs/dagre";

/** A node to be placed, with its size in pixels. */
export interface PlacedNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** An edge between two nodes. */
export interface PlacedEdge {
  readonly from: string;
  readonly to: string;
}

/** Room between a node and the next along an edge, in pixels. */
const GAP = 56;

/**
 * Where each node is drawn: its upper left corner. Edges go from left to right, or from top to bottom.
 * @param options.gap room for the text of an edge, in pixels.
 */
export function layoutOf(
  nodes: readonly PlacedNode[],
  edges: readonly PlacedEdge[],
  options: { readonly direction?: "LR" | "TB"; readonly gap?: number } = {},
): ReadonlyMap<string, { readonly x: number; readonly y: number }> {
  const graph = new graphlib.Graph();
  const { direction = "LR", gap = GAP } = options;
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: gap });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { from, to } of edges) {
    if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  }
  layout(graph);
  return new Map(
    nodes.map(({ id, width, height }) => {
      const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
      return [id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
}
