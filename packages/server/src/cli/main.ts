import { processEnvironment } from "../config/index.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-code.js";
import { report, runCommand } from "./run-command.js";
import { createTerminal } from "./terminal/terminal.js";
import type { Terminal } from "./terminal/terminal.js";

await main(process.argv.slice(2));

/**
 * Runs one command. The exit code is set without forcing the exit, so that pending output is
 * flushed.
 */
async function main(args: readonly string[]): Promise<void> {
  // Files and directories are created without access for other users, because they may contain
  // organizations' data.
  process.umask(0o077);
  const env = processEnvironment();
  const terminal = createTerminal(process.stdout, process.stderr, env);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => endWithoutOutput(error, terminal));
  await runCommand(args, {
    env,
    stdin: process.stdin,
    terminal,
    exitWith: (code) => {
      process.exitCode = code;
    },
  });
}

/**
 * Handles a closed standard output. A reader that stops early, such as `head`, is no error; a full
 * disk is.
 */
function endWithoutOutput(cause: NodeJS.ErrnoException, terminal: Terminal): never {
  if (cause.code === "EPIPE") process.exit(EXIT.ok);
  const error = new CliError(`The output cannot be written: ${cause.message}`, {
    exitCode: EXIT.failed,
    code: "OUTPUT",
    fix: "free space where standard output goes, or send it elsewhere",
    cause,
  });
  report(error, terminal, false);
  process.exit(error.exitCode);
}
