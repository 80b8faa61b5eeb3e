import type { Environment } from "../config/index.js";
import type { ExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** What every command is given of the process around it. */
export interface CliContext {
  readonly env: Environment;
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  readonly terminal: Terminal;
  /** Remembers how the program is to end; commands that say nothing end well. */
  readonly exitWith: (code: ExitCode) => void;
}
