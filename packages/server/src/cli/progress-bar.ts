import type { Terminal } from "./terminal.js";

/** How far a long piece of work has come. */
export interface ProgressBar {
  /** @param total may grow while the work goes on; left out, nobody knows it. */
  show(done: number, total?: number): void;
  /** Leaves the last state standing. */
  end(): void;
}

const WIDTH = 30;
/** Between two drawings, in ms. */
const FRAME_MS = 80;

/**
 * A bar on standard error that is redrawn in place; nothing where standard error is no terminal.
 * @param unit what is counted, as it stands behind the numbers.
 */
export function progressBar({ errorStream, errorColors }: Terminal, unit: string): ProgressBar {
  if (errorStream.isTTY !== true) return { show: () => undefined, end: () => undefined };
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
      errorStream.write(`\r\u001b[K${last}`);
    },
    end: () => {
      if (last !== "") errorStream.write(`\r\u001b[K${last}\n`);
    },
  };
}
