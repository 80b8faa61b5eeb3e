import { paintStatus, statusSign } from "../terminal/status-style.js";
import { cut, fit } from "../terminal/table.js";
import type { Colors } from "../terminal/terminal.js";
import type { StepView } from "./progress.js";

/** Size and colours of the display. */
export interface ProgressCanvas {
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
  /** Current time of the monotonic clock, in ms, for durations of running steps and the spinner. */
  readonly nowMs: number;
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;

/** Duration of a spinner's frame, in ms. */
export const FRAME_MS = 80;

/**
 * The steps, one line each, and the number of finished ones. When the terminal has too few lines,
 * waiting and finished steps are omitted first, in favour of running and failed ones.
 */
export function progressLines(
  steps: readonly StepView[],
  canvas: ProgressCanvas,
): readonly string[] {
  const done = steps.filter(({ status }) => status === "completed").length;
  const running = steps.filter(({ status }) => status === "running").length;
  const room = Math.max(1, canvas.rows - 2);
  const shown = steps.length <= room ? steps : steps.filter(isEventful).slice(-room);
  const width = Math.max(...shown.map(({ stepId }) => stepId.length), 0);
  const summary = `${String(done)} of ${String(steps.length)} steps done, ${String(running)} running`;
  return [
    ...shown.map((step) => liveLine(step, steps, width, canvas)),
    canvas.colors.dim(cut(summary, canvas.columns - 1)),
  ];
}

/** A change as a permanent line: `✔ totals  completed  12 rows  35 ms`. */
export function changeLine(step: StepView, colors: Colors): string {
  const text = `${statusSign(step.status)} ${step.stepId}  ${step.status}`;
  return [paintStatus(text, step.status, colors), ...outcome(step)].join("  ");
}

function liveLine(
  step: StepView,
  steps: readonly StepView[],
  width: number,
  { columns, colors, nowMs }: ProgressCanvas,
): string {
  const sign = step.status === "running" ? spinner(nowMs) : statusSign(step.status);
  const head = `${sign} ${step.stepId.padEnd(width)}  ${step.status.padEnd(9)}`;
  const tail = [...outcome(step), ...waiting(step, steps), ...elapsed(step, nowMs)].join("  ");
  const line = cut(`${head}  ${tail}`, columns - 1);
  const headShown = line.slice(0, head.length);
  return `${paintStatus(headShown, step.status, colors)}${colors.dim(line.slice(head.length))}`.trimEnd();
}

function outcome({ status, rowCount, durationMs, error }: StepView): readonly string[] {
  const rows = status === "completed" && rowCount !== undefined ? [countRows(rowCount)] : [];
  const time = durationMs === undefined ? [] : [duration(durationMs)];
  return [...rows, ...time, ...(error === undefined ? [] : [fit(error, 200)])];
}

function waiting({ status, dependsOn }: StepView, steps: readonly StepView[]): readonly string[] {
  if (status !== "pending") return [];
  const open = steps.filter(
    (step) => dependsOn.includes(step.stepId) && step.status !== "completed",
  );
  return open.length === 0 ? [] : [`waits for ${open.map(({ stepId }) => stepId).join(", ")}`];
}

function elapsed({ status, startedAtMs }: StepView, nowMs: number): readonly string[] {
  return status === "running" && startedAtMs !== undefined ? [duration(nowMs - startedAtMs)] : [];
}

/** `1 row`, `12 rows`. */
function countRows(count: number): string {
  return count === 1 ? "1 row" : `${String(count)} rows`;
}

/** `35 ms`, `1.2 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${String(Math.floor(ms / 60_000))} min ${String(Math.floor((ms % 60_000) / 1000))} s`;
}

function spinner(nowMs: number): string {
  return SPINNER[Math.floor(nowMs / FRAME_MS) % SPINNER.length] ?? SPINNER[0];
}

function isEventful({ status }: StepView): boolean {
  return status === "running" || status === "failed";
}
