import type { Plan } from "@steward/client";
import { control } from "../terminal/own-control.js";
import type { Terminal } from "../terminal/terminal.js";
import { changeLine, FRAME_MS, progressLines } from "./progress-lines.js";
import { PlanProgress } from "./progress.js";
import type { StepChange, StepView } from "./progress.js";

/**
 * Shows the progress of a plan's steps on standard error. Disposal leaves the last state on the
 * screen.
 */
export interface ProgressDisplay extends Disposable {
  /** Prints a line beside the progress. */
  note(line: string): void;
  update(progress: StepChange): void;
  /** Shows the plan's final state. */
  end(plan: Plan): void;
}

/** On a terminal, lines are redrawn; elsewhere, each change is printed as a line. */
export function createProgressDisplay(terminal: Terminal, plan: Plan): ProgressDisplay {
  const progress = new PlanProgress(plan);
  const screen = terminal.errorScreen.isTTY ? liveScreen(terminal, progress) : changeLog(terminal);
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

const HIDE_CURSOR = control("[?25l");
const SHOW_CURSOR = control("[?25h");
/** From the beginning of the line to the end of the screen. */
const CLEAR_BELOW = control("[G") + control("[0J");
const up = (lines: number): string => (lines === 0 ? "" : control(`[${String(lines)}A`));

/**
 * Redraws at fixed intervals rather than for each event, so that many quick steps cost no more than
 * one slow step.
 */
function liveScreen({ errorScreen, errorColors }: Terminal, progress: PlanProgress): Screen {
  let drawn = 0;
  const draw = (): void => {
    const lines = progressLines(progress.steps, {
      columns: errorScreen.columns(),
      rows: errorScreen.rows(),
      colors: errorColors,
      nowMs: performance.now(),
    });
    errorScreen.write(`${up(drawn)}${CLEAR_BELOW}${lines.join("\n")}\n`);
    drawn = lines.length;
  };
  const showCursor = (): void => {
    errorScreen.write(SHOW_CURSOR);
  };
  errorScreen.write(HIDE_CURSOR);
  // Restores the cursor even when the process is forced to exit.
  process.once("exit", showCursor);
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return {
    note: (line) => {
      errorScreen.write(`${up(drawn)}${CLEAR_BELOW}${line}\n`);
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
