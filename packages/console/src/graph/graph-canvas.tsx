import {
  Background,
  Controls,
  ReactFlow,
  type Edge,
  type Node,
  type ReactFlowProps,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useDeferredValue, useMemo } from "react";
import { Failure, Skeleton } from "../ui/states.js";
import type { Graph, Places } from "./layout.js";
import { useLayout } from "./use-layout.js";

/** A node with its size in pixels; the layout says where it is drawn. */
export type UnplacedNode<N extends Node> = Omit<N, "position" | "width" | "height"> & {
  readonly width: number;
  readonly height: number;
};

const PLACEHOLDER_ROWS = 4;
/** Room between a node and the next along an edge without a text, in pixels. */
const GAP = 56;

/**
 * A graph that is looked at, moved and zoomed, and whose nodes stay where the layout puts them. A node is
 * drawn again only if it is another object than before.
 */
export function GraphCanvas<N extends Node>(props: {
  readonly label: string;
  readonly nodes: readonly UnplacedNode<N>[];
  readonly edges: readonly Edge[];
  readonly nodeTypes: ReactFlowProps<N>["nodeTypes"];
  readonly onOpen: (id: string) => void;
  readonly direction?: Graph["direction"];
  /** Room for the text of an edge, in pixels. */
  readonly gap?: number;
  /** Empty space around the graph when it is fitted into the view, as a share of the view. */
  readonly padding: number;
  readonly onlyRenderVisibleElements?: boolean;
}) {
  const { nodes, edges, direction = "LR", gap = GAP, padding, onOpen } = props;
  const {
    data: arrived,
    error,
    refetch,
  } = useLayout({
    nodes: nodes.map(({ id, width, height }) => ({ id, width, height })),
    edges: edges.map(({ source: from, target: to }) => ({ from, to })),
    ...{ direction, gap },
  });
  // Many nodes are drawn in pieces that let other input pass.
  const data = useDeferredValue(arrived);
  const placed = useMemo(() => data && placing<N>(data.places), [data]);
  if (data === undefined || placed === undefined) {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
    return <Skeleton rows={PLACEHOLDER_ROWS} />;
  }
  return (
    <ReactFlow<N>
      // A graph with another shape is fitted into the view; others leave the view where it is.
      key={data.shape}
      nodes={nodes.flatMap(placed)}
      edges={edges.filter(
        ({ source, target }) => data.places.has(source) && data.places.has(target),
      )}
      {...(props.nodeTypes && { nodeTypes: props.nodeTypes })}
      onlyRenderVisibleElements={props.onlyRenderVisibleElements ?? false}
      onNodeClick={(_event, { id }) => {
        onOpen(id);
      }}
      fitView
      fitViewOptions={{ maxZoom: 1, padding }}
      minZoom={0.05}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      elementsSelectable={false}
      aria-label={props.label}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} color="var(--line)" />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** Gives nodes their place, each time the same object. A node without a place is part of the next layout. */
function placing<N extends Node>(places: Places) {
  const placed = new WeakMap<UnplacedNode<N>, N>();
  return (node: UnplacedNode<N>): readonly N[] => {
    const position = places.get(node.id);
    if (position === undefined) return [];
    // The compiler cannot know that `N` has no other members than an unplaced node and its place.
    const made = placed.get(node) ?? ({ ...node, position } as unknown as N);
    placed.set(node, made);
    return [made];
  };
}
