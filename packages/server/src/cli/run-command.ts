import { CommanderError } from "commander";
import { shownJson } from "@steward/kernel/shown-text.js";
import type { CliError } from "./cli-error.js";
import { toCliError } from "./cli-error.js";
import type { CliContext } from "./context.js";
import { EXIT } from "./exit-code.js";
import { createProgram } from "./program.js";
import type { Terminal } from "./terminal/terminal.js";

/** Commander's pseudo-errors after it has printed the help or the version. */
const SAID_ALREADY: ReadonlySet<string> = new Set([
  "commander.version",
  "commander.helpDisplayed",
  "commander.help",
]);

/** Runs one command. Prints its error to the terminal and passes the exit code to the context. */
export async function runCommand(args: readonly string[], context: CliContext): Promise<void> {
  const program = await createProgram(context, args);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError && SAID_ALREADY.has(thrown.code)) {
      context.exitWith(thrown.exitCode === 0 ? EXIT.ok : EXIT.usage);
      return;
    }
    const error = toCliError(thrown);
    context.exitWith(error.exitCode);
    report(error, context.terminal, args.includes("--json"));
  }
}

/** Prints an error, its details and what to do about it to standard error. */
export function report(error: CliError, terminal: Terminal, json: boolean): void {
  const { message, code, fix, details } = error;
  if (json) {
    terminal.note(shownJson(JSON.stringify({ error: message, code, fix, details })));
    return;
  }
  const colors = terminal.errorColors;
  terminal.note(`${colors.red(colors.bold("error:"))} ${message}`);
  for (const { field, reason } of details) {
    // A single detail often repeats the message.
    if (message !== `${field}: ${reason}`) terminal.note(`  ${colors.yellow(field)}: ${reason}`);
  }
  if (fix !== undefined) terminal.note(`  ${colors.cyan("fix:")} ${fix}`);
}
