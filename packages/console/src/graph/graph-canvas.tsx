import { Background, Controls, ReactFlow, type Node, type ReactFlowProps } from "@xyflow/react";
import "@xyflow/react/dist/style.css";

/** What differs between the graphs. */
type GraphCanvasProps<N extends Node> = Pick<
  ReactFlowProps<N>,
  "nodes" | "edges" | "nodeTypes" | "onlyRenderVisibleElements" | "onNodeClick"
> & {
  readonly label: string;
  /** Identifies the layout. A graph with another shape is fitted into the view; others leave the view where it is. */
  readonly shape: string;
  /** Empty space around the graph when it is fitted into the view, as a share of the view. */
  readonly padding: number;
};

/** A graph that is looked at, moved and zoomed, and whose nodes stay where the layout puts them. */
export function GraphCanvas<N extends Node>(props: GraphCanvasProps<N>) {
  const { label, shape, padding, ...flow } = props;
  return (
    <ReactFlow
      {...flow}
      key={shape}
      fitView
      fitViewOptions={{ maxZoom: 1, padding }}
      minZoom={0.05}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      elementsSelectable={false}
      aria-label={label}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} color="var(--line)" />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}
