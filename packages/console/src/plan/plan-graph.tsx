import { Handle, Position, type Edge, type Node, type NodeProps } from "@xyflow/react";
import { useMemo } from "react";
import { GraphCanvas } from "../graph/graph-canvas.js";
import { layoutOf } from "../graph/layout.js";
import { planTexts } from "../texts/plan.js";
import { StatusIcon, type Activity } from "../ui/badge.js";
import { classNames } from "../ui/class-names.js";

/** A step as the graph shows it. */
export interface GraphStep {
  readonly id: string;
  readonly name: string;
  readonly after: readonly string[];
  readonly activity: Activity;
  /** A few words about the step's effect. */
  readonly note: string;
}

type StepNode = Node<{
  readonly step: GraphStep;
  readonly isChosen: boolean;
  readonly onOpen: (id: string) => void;
}>;

/** Size of a step in the graph, in pixels. */
const NODE_WIDTH = 208;
const NODE_HEIGHT = 58;
const NODE_TYPES = { step: StepBox };
const COLOURS: Readonly<Record<Activity, string>> = {
  pending: "text-quiet",
  running: "text-busy border-busy!",
  completed: "text-good",
  failed: "text-bad border-bad!",
  cancelled: "text-quiet",
  skipped: "text-quiet",
  awaiting_approval: "text-warn border-warn!",
  retry_backoff: "text-warn border-warn!",
  awaiting_revision: "text-warn border-warn!",
};
/** Graphs with more steps than this draw only those that can be seen. */
const DRAWN_WHOLE_MAX = 100;

/** The graph of steps and dependencies. The table shows the same facts to screen readers. */
export default function PlanGraph(props: {
  readonly steps: readonly GraphStep[];
  readonly chosen: string | undefined;
  readonly onOpen: (stepId: string) => void;
}) {
  const { steps, chosen, onOpen } = props;
  const shape = JSON.stringify(steps.map(({ id, after }) => [id, after]));
  const places = useMemo(() => {
    const parsed = JSON.parse(shape) as readonly [string, readonly string[]][];
    return layoutOf(
      parsed.map(([id]) => ({ id, width: NODE_WIDTH, height: NODE_HEIGHT })),
      parsed.flatMap(([to, after]) => after.map((from) => ({ from, to }))),
    );
  }, [shape]);
  const nodes = steps.map((step): StepNode => ({
    id: step.id,
    type: "step",
    position: places.get(step.id) ?? { x: 0, y: 0 },
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    data: { step, isChosen: step.id === chosen, onOpen },
  }));
  const edges = steps.flatMap((step) =>
    step.after.map((before): Edge => ({
      id: `${before} ${step.id}`,
      source: before,
      target: step.id,
      animated: step.activity === "running",
      focusable: false,
    })),
  );
  return (
    <div className="h-full min-h-56 w-full">
      <GraphCanvas
        label={planTexts.graph}
        shape={shape}
        padding={0.15}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onlyRenderVisibleElements={steps.length > DRAWN_WHOLE_MAX}
        onNodeClick={(_event, node) => {
          onOpen(node.id);
        }}
      />
    </div>
  );
}

function StepBox({ data: { step, isChosen, onOpen } }: NodeProps<StepNode>) {
  return (
    <>
      <Handle type="target" position={Position.Left} className="opacity-0" />
      <button
        type="button"
        onClick={() => {
          onOpen(step.id);
        }}
        className={classNames(
          "flex h-full w-full items-center gap-2.5 rounded-lg border border-line-strong bg-canvas px-3 text-left hover:bg-hover",
          COLOURS[step.activity],
          isChosen && "outline-2 outline-offset-1 outline-accent",
        )}
      >
        <StatusIcon status={step.activity} size={17} />
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm font-medium text-text">
            <bdi>{step.name}</bdi>
          </span>
          <span className="block truncate text-xs text-muted">{step.note}</span>
        </span>
      </button>
      <Handle type="source" position={Position.Right} className="opacity-0" />
    </>
  );
}
