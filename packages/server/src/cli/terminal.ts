import type { WriteStream } from "node:tty";
import pc from "picocolors";
import type { Environment } from "../config/index.js";
import { renderTable, type Column } from "./table.js";

/** The formatters of one stream: they colour, or leave the text alone. */
export type Colors = ReturnType<typeof pc.createColors>;

/** What is needed of a standard stream. */
export type OutputStream = Pick<WriteStream, "write"> &
  Partial<Pick<WriteStream, "isTTY" | "columns" | "rows">>;

/** Where a command writes: data to one stream, everything about it to the other. */
export interface Terminal {
  /** Data, for programs and pipes: a line on standard output. */
  readonly print: (line: string) => void;
  /** Data as it is, on standard output. Resolves when it is taken, so that no more than a piece waits in memory. */
  readonly write: (data: Uint8Array) => Promise<void>;
  /** Data as one line of JSON on standard output. */
  readonly printJson: (value: unknown) => void;
  /** Data in columns that fit the terminal; all of their text when it goes elsewhere. */
  readonly printTable: (columns: readonly Column[], rows: readonly (readonly string[])[]) => void;
  /** Columns of standard output; absent when that is no terminal. */
  readonly width: number | undefined;
  /** Progress, notes and errors: a line on standard error. */
  readonly note: (line: string) => void;
  readonly outColors: Colors;
  readonly errorColors: Colors;
  /** Standard error, for lines that are redrawn. */
  readonly errorStream: OutputStream;
}

/** A terminal over two streams. `NO_COLOR` turns colours off, `FORCE_COLOR` on. */
export function createTerminal(
  output: OutputStream,
  error: OutputStream,
  env: Environment,
): Terminal {
  const width = output.isTTY === true ? output.columns : undefined;
  const print = (line: string): void => void output.write(`${line}\n`);
  return {
    print,
    printTable: (columns, rows) => renderTable(columns, rows, width).forEach(print),
    width,
    write: (data) => new Promise((resolve) => void output.write(data, () => resolve())),
    printJson: (value) => void output.write(`${JSON.stringify(value)}\n`),
    note: (line) => void error.write(`${line}\n`),
    outColors: pc.createColors(wantsColor(output, env)),
    errorColors: pc.createColors(wantsColor(error, env)),
    errorStream: error,
  };
}

/** See https://no-color.org: set and not empty means none, whoever asks for them. */
function wantsColor(stream: OutputStream, env: Environment): boolean {
  if (isSet(env["NO_COLOR"])) return false;
  if (isSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
