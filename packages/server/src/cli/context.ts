import type { Environment } from "../config/index.js";
import type { ExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal/terminal.js";

/** The command's environment: streams, variables, exit code. */
export interface CliContext {
  readonly env: Environment;
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  readonly terminal: Terminal;
  /** Sets the exit code; the default is success. */
  readonly exitWith: (code: ExitCode) => void;
}
