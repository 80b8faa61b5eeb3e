import { Handle, Position, type Edge, type Node, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { GraphCanvas, type UnplacedNode } from "../graph/graph-canvas.js";
import { planTexts } from "../texts/plan.js";
import { AgentText } from "../ui/agent-text.js";
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
}>;

/** Size of a step in the graph, in pixels. */
const NODE_WIDTH = 208;
const NODE_HEIGHT = 58;
const NODE_TYPES = { step: memo(StepBox) };
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
  awaiting_steps: "text-quiet",
};
/** Graphs with more steps than this draw only those that can be seen. */
const DRAWN_WHOLE_MAX = 100;

/** The graph of steps and dependencies. The table shows the same facts to screen readers. */
export default memo(function PlanGraph(props: {
  /** A step that is the same object as before is not drawn again. */
  readonly steps: readonly GraphStep[];
  readonly chosen: string | undefined;
  readonly onOpen: (stepId: string) => void;
}) {
  const { steps, chosen, onOpen } = props;
  const nodes = steps.map((step) => {
    const { node } = drawnAs(step);
    return step.id === chosen ? { ...node, data: { step, isChosen: true } } : node;
  });
  const edges = steps.flatMap((step) => drawnAs(step).edges);
  return (
    <div className="h-full min-h-56 w-full">
      <GraphCanvas
        label={planTexts.graph}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onOpen={onOpen}
        padding={0.15}
        onlyRenderVisibleElements={steps.length > DRAWN_WHOLE_MAX}
      />
    </div>
  );
});

/** A step as a node, and the edges that lead to it. */
interface DrawnStep {
  readonly node: UnplacedNode<StepNode>;
  readonly edges: readonly Edge[];
}

const drawnSteps = new WeakMap<GraphStep, DrawnStep>();

/** The node and the edges of a step, each time the same objects. */
function drawnAs(step: GraphStep): DrawnStep {
  const before = drawnSteps.get(step);
  if (before !== undefined) return before;
  const drawn: DrawnStep = {
    node: {
      ...{ id: step.id, type: "step", width: NODE_WIDTH, height: NODE_HEIGHT },
      data: { step, isChosen: false },
    },
    edges: step.after.map((source) => ({
      ...{ id: `${source} ${step.id}`, source, target: step.id, focusable: false },
      animated: step.activity === "running",
    })),
  };
  drawnSteps.set(step, drawn);
  return drawn;
}

function StepBox({ data: { step, isChosen } }: NodeProps<StepNode>) {
  return (
    <>
      <Handle type="target" position={Position.Left} className="opacity-0" />
      <button
        type="button"
        className={classNames(
          "flex h-full w-full items-center gap-2.5 rounded-lg border border-line-strong bg-canvas px-3 text-left hover:bg-hover",
          COLOURS[step.activity],
          isChosen && "outline-2 outline-offset-1 outline-accent",
        )}
      >
        <StatusIcon status={step.activity} size={17} />
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm font-medium text-text">
            <AgentText>{step.name}</AgentText>
          </span>
          <span className="block truncate text-xs text-muted">{step.note}</span>
        </span>
      </button>
      <Handle type="source" position={Position.Right} className="opacity-0" />
    </>
  );
}
