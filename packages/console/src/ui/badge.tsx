import type { PlanStatus, StepStatus } from "@steward/client";
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Hand,
  Loader,
  RotateCw,
  SkipForward,
} from "lucide-react";
import { texts } from "../texts.js";
import { classNames } from "./class-names.js";

const TONES = {
  good: "bg-good-soft text-good",
  bad: "bg-bad-soft text-bad",
  warn: "bg-warn-soft text-warn",
  busy: "bg-busy-soft text-busy",
  quiet: "bg-quiet-soft text-quiet",
} as const;

/** The meaning of a colour; a text or an icon always says the same. */
export type Tone = keyof typeof TONES;

/** The status of a plan or a step, or the reason why it waits. */
export type Activity =
  | PlanStatus
  | StepStatus
  | "awaiting_approval"
  | "retry_backoff"
  | "awaiting_revision"
  | "awaiting_steps";

const ACTIVITIES = {
  pending: { tone: "quiet", Icon: CircleDashed },
  running: { tone: "busy", Icon: Loader },
  completed: { tone: "good", Icon: CircleCheck },
  failed: { tone: "bad", Icon: CircleX },
  cancelled: { tone: "quiet", Icon: Ban },
  skipped: { tone: "quiet", Icon: SkipForward },
  awaiting_approval: { tone: "warn", Icon: Hand },
  retry_backoff: { tone: "warn", Icon: RotateCw },
  awaiting_revision: { tone: "warn", Icon: Hand },
  awaiting_steps: { tone: "quiet", Icon: CircleDashed },
} as const;

export function Badge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: React.ReactNode;
}) {
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1 whitespace-nowrap rounded-full px-2 py-0.5 text-xs font-medium",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

export function StatusBadge({ status }: { readonly status: Activity }) {
  return (
    <Badge tone={ACTIVITIES[status].tone}>
      <StatusIcon status={status} />
      {texts.statuses[status]}
    </Badge>
  );
}

export function StatusIcon({
  status,
  size = 13,
}: {
  readonly status: Activity;
  readonly size?: number;
}) {
  const { Icon } = ACTIVITIES[status];
  return (
    <Icon
      size={size}
      aria-hidden
      className={classNames("shrink-0", status === "running" && "animate-spin")}
    />
  );
}
