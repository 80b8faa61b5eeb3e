import { Handle, MarkerType, Position, type Edge, type Node, type NodeProps } from "@xyflow/react";
import { AgentText } from "../ui/agent-text.js";
import { classNames } from "../ui/class-names.js";
import { GraphCanvas, type UnplacedNode } from "./graph-canvas.js";

/** A box of the graph: a title, and lines below it. */
export interface Box {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** An arrow from one box to another, with a few words. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

type BoxNode = Node<{
  readonly box: Box;
  readonly isChosen: boolean;
  readonly isDown: boolean;
}>;

const NODE_TYPES = { box: BoxView };
/** Sizes in pixels. */
const WIDTH = 216;
const TITLE_HEIGHT = 36;
const LINE_HEIGHT = 20;
const LINES_PADDING = 8;
/** Room for the text of an arrow. */
const TEXT_GAP = 130;

/** Boxes and arrows. Whoever shows it has a table with the same facts beside it. */
export default function BoxGraph(props: {
  readonly label: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly direction?: "LR" | "TB";
}) {
  const { boxes, arrows, chosen, onOpen, direction = "LR" } = props;
  const nodes = boxes.map((box): UnplacedNode<BoxNode> => ({
    id: box.id,
    type: "box",
    width: WIDTH,
    height: heightOf(box),
    data: { box, isChosen: box.id === chosen, isDown: direction === "TB" },
  }));
  const edges = arrows.map(({ from, to, text }, index): Edge => ({
    id: `${index} ${from} ${to}`,
    source: from,
    target: to,
    label: text,
    focusable: false,
    markerEnd: { type: MarkerType.ArrowClosed, color: "var(--line-strong)" },
    style: { stroke: "var(--line-strong)" },
    labelStyle: { fill: "var(--text)", fontSize: 11 },
    labelBgStyle: { fill: "var(--canvas)" },
  }));
  return (
    <div className="h-80 w-full rounded-lg border">
      <GraphCanvas
        label={props.label}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onOpen={onOpen}
        direction={direction}
        {...(arrows.some(({ text }) => text !== "") && { gap: TEXT_GAP })}
        padding={0.1}
      />
    </div>
  );
}

function heightOf({ lines }: Box): number {
  return TITLE_HEIGHT + (lines.length === 0 ? 0 : lines.length * LINE_HEIGHT + LINES_PADDING);
}

function BoxView({ data: { box, isChosen, isDown } }: NodeProps<BoxNode>) {
  return (
    <>
      <Handle
        type="target"
        position={isDown ? Position.Top : Position.Left}
        className="opacity-0"
      />
      <button
        type="button"
        className={classNames(
          "flex h-full w-full flex-col overflow-hidden rounded-lg border border-line-strong bg-canvas text-left hover:bg-hover",
          isChosen && "outline-2 outline-offset-1 outline-accent",
        )}
      >
        <span className="flex h-9 w-full shrink-0 items-center px-3">
          <AgentText className="truncate text-sm font-medium">{box.title}</AgentText>
        </span>
        {box.lines.map((line, index) => (
          <span key={index} className="h-5 w-full shrink-0 truncate px-3 text-xs text-muted">
            <AgentText>{line}</AgentText>
          </span>
        ))}
      </button>
      <Handle
        type="source"
        position={isDown ? Position.Bottom : Position.Right}
        className="opacity-0"
      />
    </>
  );
}
