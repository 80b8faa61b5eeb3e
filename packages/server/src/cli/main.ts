import { CommanderError } from "commander";
import { processEnvironment } from "../config/index.js";
import { CliError, toCliError } from "./cli-error.js";
import { EXIT } from "./exit-code.js";
import { createProgram } from "./program.js";
import { createTerminal } from "./terminal.js";
import type { Terminal } from "./terminal.js";

/** What commander throws after it has printed what was asked for. */
const SAID_ALREADY: ReadonlySet<string> = new Set([
  "commander.version",
  "commander.helpDisplayed",
  "commander.help",
]);

await main(process.argv.slice(2));

/** Runs one command. The exit code is set, not forced, so that what was written is also read. */
async function main(args: readonly string[]): Promise<void> {
  // Whatever this program writes may hold data of organizations: nobody else on this machine may read it.
  process.umask(0o077);
  const env = processEnvironment();
  const terminal = createTerminal(process.stdout, process.stderr, env);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => endWithoutOutput(error, terminal));
  const program = createProgram({
    env,
    stdin: process.stdin,
    terminal,
    exitWith: (code) => {
      process.exitCode = code;
    },
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError && SAID_ALREADY.has(thrown.code)) {
      process.exitCode = thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const error = toCliError(thrown);
    process.exitCode = error.exitCode;
    report(error, terminal, args.includes("--json"));
  }
}

/** Tells on standard error what went wrong, where, and what to do about it. */
function report(error: CliError, terminal: Terminal, json: boolean): void {
  const { message, code, fix, details } = error;
  if (json) {
    terminal.note(JSON.stringify({ error: message, code, fix, details }));
    return;
  }
  const colors = terminal.errorColors;
  terminal.note(`${colors.red(colors.bold("error:"))} ${message}`);
  for (const { field, reason } of details) {
    // A single detail is often the message itself.
    if (message !== `${field}: ${reason}`) terminal.note(`  ${colors.yellow(field)}: ${reason}`);
  }
  if (fix !== undefined) terminal.note(`  ${colors.cyan("fix:")} ${fix}`);
}

/** Whoever has read enough, as `head` does, is content; a full disk is not what was asked for. */
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
