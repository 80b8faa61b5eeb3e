import type { Plan, StepProgress } from "@steward/client";
import type { Terminal } from "../terminal.js";
import { changeLine, FRAME_MS, progressLines } from "./progress-lines.js";
import { PlanProgress } from "./progress.js";
import type { StepView } from "./progress.js";

/** Shows on standard error how a plan's steps go. Disposing leaves the last state standing. */
export interface ProgressDisplay extends Disposable {
  /** Says something beside it. */
  note(line: string): void;
  update(progress: StepProgress): void;
  /** The plan as it ended. */
  end(plan: Plan): void;
}

/** On a terminal, lines that are redrawn; elsewhere, a line for each change. */
export function createProgressDisplay(terminal: Terminal, plan: Plan): ProgressDisplay {
  const progress = new PlanProgress(plan);
  const screen =
    terminal.errorStream.isTTY === true ? liveScreen(terminal, progress) : changeLog(terminal);
  return {
    note: (line) => {
      screen.note(line);
    },
    update: (told) => {
      const step = progress.apply(told, performance.now());
      if (step !== undefined) screen.changed([step]);
    },
    end: (ended) => {
      screen.changed(progress.end(ended));
    },
    [Symbol.dispose]: () => {
      screen[Symbol.dispose]();
    },
  };
}

interface Screen extends Disposable {
  note(line: string): void;
  changed(steps: readonly StepView[]): void;
}

function changeLog(terminal: Terminal): Screen {
  return {
    note: terminal.note,
    changed: (steps) => {
      for (const step of steps) terminal.note(changeLine(step, terminal.errorColors));
    },
    [Symbol.dispose]: () => undefined,
  };
}

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[0J";
const up = (lines: number): string => (lines === 0 ? "" : `\u001b[${String(lines)}A`);

/** Redraws by the clock, not by the event: a thousand quick steps cost no more than one slow one. */
function liveScreen({ errorStream, errorColors }: Terminal, progress: PlanProgress): Screen {
  let drawn = 0;
  const draw = (): void => {
    const lines = progressLines(progress.steps, {
      columns: errorStream.columns ?? 80,
      rows: errorStream.rows ?? 24,
      colors: errorColors,
      nowMs: performance.now(),
    });
    errorStream.write(`${up(drawn)}\r${CLEAR_BELOW}${lines.join("\n")}\n`);
    drawn = lines.length;
  };
  const showCursor = (): void => {
    errorStream.write(SHOW_CURSOR);
  };
  errorStream.write(HIDE_CURSOR);
  // Also when the process is made to exit at once.
  process.once("exit", showCursor);
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return {
    note: (line) => {
      errorStream.write(`${up(drawn)}\r${CLEAR_BELOW}${line}\n`);
      drawn = 0;
      draw();
    },
    changed: () => undefined,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      draw();
      process.off("exit", showCursor);
      showCursor();
    },
  };
}
