import { control } from "./own-control.js";
import type { Terminal } from "./terminal.js";

/** Progress of a long operation. */
export interface ProgressBar {
  /** @param total may grow during the operation; absent when unknown. */
  show(done: number, total?: number): void;
  /** Leaves the last state on the screen. */
  end(): void;
}

const CLEARED_LINE = control("[G") + control("[K");
const WIDTH = 30;
/** Interval between two drawings, in ms. */
const FRAME_MS = 80;

/**
 * A bar on standard error that is redrawn in place; draws nothing when standard error is no
 * terminal.
 * @param unit the counted unit, shown after the numbers.
 */
export function progressBar({ errorScreen, errorColors }: Terminal, unit: string): ProgressBar {
  if (!errorScreen.isTTY) return { show: () => undefined, end: () => undefined };
  const line = (done: number, total: number): string => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const full = Math.round(share * WIDTH);
    const bar = errorColors.green("█".repeat(full)) + errorColors.dim("░".repeat(WIDTH - full));
    return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${done} of ${total} ${unit}`;
  };
  let drawnMs = 0;
  let last = "";
  return {
    show: (done, total) => {
      last = total === undefined ? `${done} ${unit}` : line(done, total);
      if (performance.now() - drawnMs < FRAME_MS) return;
      drawnMs = performance.now();
      errorScreen.write(`${CLEARED_LINE}${last}`);
    },
    end: () => {
      if (last !== "") errorScreen.write(`${CLEARED_LINE}${last}\n`);
    },
  };
}
