import type { WriteStream } from "node:tty";
import type { Environment } from "../../config/index.js";
import { shownJson } from "@steward/kernel/shown-text.js";
import { colorsOf, type Colors, written } from "./own-control.js";
import { renderTable, type Column } from "./table.js";

export type { Colors } from "./own-control.js";

/** The used part of a standard stream's interface. */
export type OutputStream = Pick<WriteStream, "write"> &
  Partial<Pick<WriteStream, "isTTY" | "columns" | "rows">>;

/**
 * The output of a command: data goes to standard output, everything else to standard error. Whatever
 * is printed is shown harmless, whoever wrote it, except for raw data that go to a file or a pipe.
 */
export interface Terminal {
  /** Prints a line of data to standard output. */
  readonly print: (line: string) => void;
  /**
   * Writes raw data to standard output. Resolves when the data was accepted, which limits
   * buffering.
   */
  readonly write: (data: Uint8Array) => Promise<void>;
  /** Prints a value as one line of JSON to standard output. */
  readonly printJson: (value: unknown) => void;
  /** Prints a table. It is fitted to the terminal, and complete when the output goes elsewhere. */
  readonly printTable: (columns: readonly Column[], rows: readonly (readonly string[])[]) => void;
  /** Columns of standard output; absent when it is no terminal. */
  readonly width: number | undefined;
  /** Prints progress, a note or an error to standard error. */
  readonly note: (line: string) => void;
  readonly outColors: Colors;
  readonly errorColors: Colors;
  /** Standard error, for lines that are redrawn. */
  readonly errorScreen: Screen;
}

/** A stream for lines that are redrawn with `control`. */
export interface Screen {
  readonly isTTY: boolean;
  readonly columns: () => number;
  readonly rows: () => number;
  readonly write: (text: string) => void;
}

/** Creates a terminal from two streams. `NO_COLOR` turns colours off, `FORCE_COLOR` on. */
export function createTerminal(
  output: OutputStream,
  error: OutputStream,
  env: Environment,
): Terminal {
  const width = output.isTTY === true ? output.columns : undefined;
  const print = (line: string): void => void output.write(`${written(line)}\n`);
  const decoder = new TextDecoder();
  const rawOrShown = (data: Uint8Array): Uint8Array | string =>
    output.isTTY === true ? written(decoder.decode(data, { stream: true })) : data;
  return {
    print,
    printTable: (columns, rows) => renderTable(columns, rows, width).forEach(print),
    width,
    write: (data) => new Promise((resolve) => void output.write(rawOrShown(data), () => resolve())),
    printJson: (value) => void output.write(`${shownJson(JSON.stringify(value))}\n`),
    note: (line) => void error.write(`${written(line)}\n`),
    outColors: colorsOf(wantsColor(output, env)),
    errorColors: colorsOf(wantsColor(error, env)),
    errorScreen: {
      isTTY: error.isTTY === true,
      columns: () => error.columns ?? 80,
      rows: () => error.rows ?? 24,
      write: (text) => void error.write(written(text)),
    },
  };
}

/** Follows https://no-color.org: any non-empty value turns colours off. */
function wantsColor(stream: OutputStream, env: Environment): boolean {
  if (isSet(env["NO_COLOR"])) return false;
  if (isSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
