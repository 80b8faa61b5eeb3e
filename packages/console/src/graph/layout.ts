import { graphlib, layout } from "@dagrejs/dagre";

/** A node to be placed, with its size in pixels. */
export interface PlacedNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** What a layout follows from: two graphs that are equal here have the same layout, whatever their nodes say. */
export interface Graph {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  /** Edges go from left to right, or from top to bottom. */
  readonly direction: "LR" | "TB";
  /** Room between a node and the next along an edge, in pixels. */
  readonly gap: number;
}

/** Where each node is drawn: its upper left corner, in pixels. */
export type Places = ReadonlyMap<string, { readonly x: number; readonly y: number }>;

/** Room between nodes that are beside each other, in pixels. */
const NODE_GAP = 18;

/** Places each node. Edges to nodes that are not part of the graph are ignored. */
export function layoutOf({ nodes, edges, direction, gap }: Graph): Places {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: NODE_GAP, ranksep: gap });
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
