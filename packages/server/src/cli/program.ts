import { Command } from "commander";
import { version } from "../version.js";
import { backupCommand, restoreCommand } from "./backup.js";
import { budgetCommand, paymentsCommand, priceCommand, usageCommand } from "./billing/index.js";
import { configCommand } from "./config.js";
import type { CliContext } from "./context.js";
import type { CredentialOptions } from "./client-credential.js";
import { copyCommand } from "./copy.js";
import { devCommand } from "./dev.js";
import { doctorCommand } from "./doctor/index.js";
import { formatHelpItem, HELP_WIDTH_DEFAULT, HELP_WIDTH_MIN } from "./help-format.js";
import { keyCommand } from "./key/index.js";
import { memoryCommand } from "./memory/index.js";
import { migrateCommand } from "./migrate.js";
import { migrateDbCommand } from "./migrate-db/index.js";
import { planCommand } from "./plan/index.js";
import { policyCommand } from "./policy/index.js";
import { serveCommand } from "./serve.js";
import { stateCommand } from "./state/index.js";

/** The whole command line. Nothing is run, and nothing exits, before it is parsed. */
export function createProgram(context: CliContext): Command {
  const program = new Command("steward")
    .description("The control plane for LLM agents that work on a company's data.")
    .version(version(), "--version", "Print the version.");
  const commands = [
    devCommand,
    serveCommand,
    planCommand,
    memoryCommand,
    migrateDbCommand,
    stateCommand,
    usageCommand,
    priceCommand,
    budgetCommand,
    paymentsCommand,
    backupCommand,
    restoreCommand,
    keyCommand,
    policyCommand,
    migrateCommand,
    copyCommand,
    configCommand,
    doctorCommand,
  ];
  for (const command of commands) program.addCommand(command(context));
  program.hook("preAction", (_program, command) => {
    if (command.opts<CredentialOptions>().apiKey === undefined) return;
    context.terminal.note(
      "warning: --api-key can be seen by other users of this machine; use STEWARD_API_KEY or --api-key-file",
    );
  });
  settle(program, context);
  return program;
}

/** Makes every command throw rather than exit, and write through the terminal. */
function settle(command: Command, context: CliContext): void {
  const width = (): number => context.terminal.width ?? HELP_WIDTH_DEFAULT;
  command.configureHelp({
    minWidthToWrap: HELP_WIDTH_MIN,
    formatItem: (term, termWidth, description, help) =>
      formatHelpItem(term, termWidth, description, help),
  });
  command.exitOverride().configureOutput({
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    writeOut: (text) => {
      context.terminal.print(text.trimEnd());
    },
    writeErr: (text) => {
      context.terminal.note(text.trimEnd());
    },
    // Errors are told in one shape by whoever catches them.
    outputError: () => undefined,
  });
  for (const sub of command.commands) settle(sub, context);
}
