import { graphlib, layout } from "@dagrejs/dagre";
import type { PlanStep } from "@steward/client";

/** Size of a step in the graph, in pixels. */
export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 58;

/** Where each step is drawn: its upper left corner. */
export function layoutOf(
  steps: readonly Pick<PlanStep, "step_id" | "depends_on">[],
): ReadonlyMap<string, { readonly x: number; readonly y: number }> {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 56 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { step_id: id } of steps)
    graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { step_id: id, depends_on: dependencies } of steps) {
    for (const dependency of dependencies)
      if (graph.hasNode(dependency)) graph.setEdge(dependency, id);
  }
  layout(graph);
  return new Map(
    steps.map(({ step_id: id }) => {
      const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}
