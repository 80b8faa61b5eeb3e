import type { PlanStep } from "@steward/client";
import { planTexts } from "../texts/plan.js";
import { texts } from "../texts.js";
import { AgentText } from "../ui/agent-text.js";
import { StatusIcon } from "../ui/badge.js";
import { classNames } from "../ui/class-names.js";
import { useRowWindow } from "../ui/row-window.js";
import { useNow } from "../ui/time.js";
import { durationText } from "../ui/time-texts.js";
import type { Attempt } from "./attempts.js";

/** Height of a row, in pixels. */
const ROW_HEIGHT = 36;
/** Least width of a bar, in percent of the whole time, so that a fast step can be seen. */
const BAR_PERCENT_MIN = 0.4;
/** Marks on the scale of time. */
const MARKS = [0, 25, 50, 75, 100];

/** When each step ran, on one scale of time. A step with several attempts has several bars. */
export function Waterfall(props: {
  readonly steps: readonly PlanStep[];
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>;
  readonly chosen: string | undefined;
  readonly onOpen: (stepId: string) => void;
}) {
  const { steps, attempts, chosen, onOpen } = props;
  const nowMs = useNow();
  const list = useRowWindow(steps.length, ROW_HEIGHT);
  const { fromMs, toMs } = spanOf(attempts, nowMs);
  const spanMs = Math.max(1, toMs - fromMs);
  if (attempts.size === 0)
    return <p className="p-8 text-center text-sm text-muted">{planTexts.nothingRan}</p>;
  return (
    <div
      ref={list.scroller}
      className="h-full overflow-y-auto"
      role="region"
      aria-label={planTexts.waterfall}
      tabIndex={0}
    >
      <div className="sticky top-0 z-10 grid h-8 grid-cols-[9rem_minmax(0,1fr)] border-b bg-canvas md:grid-cols-[16rem_minmax(0,1fr)]">
        <span />
        <div className="relative mr-16 text-xs text-muted tabular-nums" aria-hidden>
          {MARKS.map((percent) => (
            <span
              key={percent}
              className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap max-md:not-first:not-last:hidden"
              style={{ left: `${percent}%` }}
            >
              {durationText((spanMs * percent) / 100)}
            </span>
          ))}
        </div>
      </div>
      <ul className="relative" style={{ height: list.height }}>
        {list.rows.map((index) => {
          const step = steps[index];
          if (step === undefined) return undefined;
          const own = attempts.get(step.step_id) ?? [];
          const lastMs = own.reduce(
            (sum, { startedMs, endedMs }) => sum + (endedMs ?? nowMs) - startedMs,
            0,
          );
          return (
            <li
              key={step.step_id}
              className="absolute inset-x-0"
              style={{ height: ROW_HEIGHT, transform: `translateY(${list.topOf(index)}px)` }}
            >
              <button
                type="button"
                onClick={() => {
                  onOpen(step.step_id);
                }}
                className={classNames(
                  "grid h-full w-full grid-cols-[9rem_minmax(0,1fr)] items-center border-b text-left hover:bg-hover focus-visible:outline-offset-[-2px] md:grid-cols-[16rem_minmax(0,1fr)]",
                  chosen === step.step_id && "bg-selected",
                )}
              >
                <span className="flex min-w-0 items-center gap-2 px-4 text-sm md:px-6">
                  <StatusIcon status={step.wait_reason ?? step.status} size={15} />
                  <span className="sr-only">{texts.statuses[step.wait_reason ?? step.status]}</span>
                  <AgentText className="truncate">
                    {step.name === "" ? step.step_id : step.name}
                  </AgentText>
                </span>
                <span className="relative mr-16 h-full">
                  {own.map((attempt) => (
                    <Bar
                      key={attempt.number}
                      attempt={attempt}
                      fromMs={fromMs}
                      spanMs={spanMs}
                      nowMs={nowMs}
                    />
                  ))}
                  {own.length > 0 && (
                    <span className="absolute top-2.5 left-full ml-2 text-xs whitespace-nowrap text-muted tabular-nums">
                      {durationText(lastMs)}
                    </span>
                  )}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** From the first beginning of an attempt to the last end. */
function spanOf(attempts: ReadonlyMap<string, readonly Attempt[]>, nowMs: number) {
  let fromMs = Number.POSITIVE_INFINITY;
  let toMs = Number.NEGATIVE_INFINITY;
  for (const own of attempts.values()) {
    for (const { startedMs, endedMs } of own) {
      fromMs = Math.min(fromMs, startedMs);
      toMs = Math.max(toMs, endedMs ?? nowMs);
    }
  }
  return { fromMs, toMs };
}

function Bar(props: {
  readonly attempt: Attempt;
  readonly fromMs: number;
  readonly spanMs: number;
  readonly nowMs: number;
}) {
  const { attempt, fromMs, spanMs, nowMs } = props;
  const left = ((attempt.startedMs - fromMs) / spanMs) * 100;
  const width = (((attempt.endedMs ?? nowMs) - attempt.startedMs) / spanMs) * 100;
  const colour =
    attempt.endedMs === undefined
      ? "bg-busy"
      : attempt.status === "completed"
        ? "bg-good"
        : "bg-bad";
  return (
    <span
      className={classNames("absolute top-2.5 h-4 rounded-sm opacity-80", colour)}
      style={{
        left: `${Math.min(left, 100 - BAR_PERCENT_MIN)}%`,
        width: `${Math.max(width, BAR_PERCENT_MIN)}%`,
      }}
    />
  );
}
