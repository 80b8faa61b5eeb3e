import { Command, CommanderError } from "commander";
import { version } from "../version.js";
import type { CliContext } from "./context.js";
import type { CredentialOptions } from "./connection/client-credential.js";
import { EXAMPLES } from "./terminal/examples.js";
import { formatHelpItem, HELP_WIDTH_DEFAULT, HELP_WIDTH_MIN } from "./terminal/help-format.js";

type MakeCommand = (context: CliContext) => Command;

/**
 * The commands in the order of the help. A command's modules are imported when the command is
 * needed.
 */
const COMMANDS: ReadonlyMap<string, () => Promise<MakeCommand>> = new Map([
  ["dev", async () => (await import("./serve/dev.js")).devCommand],
  ["serve", async () => (await import("./serve/serve.js")).serveCommand],
  ["plan", async () => (await import("./plan/index.js")).planCommand],
  ["catalog", async () => (await import("./catalog/index.js")).catalogCommand],
  ["memory", async () => (await import("./memory/index.js")).memoryCommand],
  ["mcp", async () => (await import("./mcp/index.js")).mcpCommand],
  ["migrate-db", async () => (await import("./migrate-db/index.js")).migrateDbCommand],
  ["state", async () => (await import("./state/index.js")).stateCommand],
  ["usage", async () => (await import("./billing/index.js")).usageCommand],
  ["price", async () => (await import("./billing/index.js")).priceCommand],
  ["budget", async () => (await import("./billing/index.js")).budgetCommand],
  ["payments", async () => (await import("./billing/index.js")).paymentsCommand],
  ["retention", async () => (await import("./retention/index.js")).retentionCommand],
  ["erase", async () => (await import("./retention/index.js")).eraseCommand],
  ["hold", async () => (await import("./retention/index.js")).holdCommand],
  ["backup", async () => (await import("./store/backup.js")).backupCommand],
  ["restore", async () => (await import("./store/backup.js")).restoreCommand],
  ["key", async () => (await import("./key/index.js")).keyCommand],
  ["policy", async () => (await import("./policy/index.js")).policyCommand],
  ["audit", async () => (await import("./audit/index.js")).auditCommand],
  ["approvals", async () => (await import("./approvals/index.js")).approvalsCommand],
  ["webhooks", async () => (await import("./webhooks/index.js")).webhooksCommand],
  ["tools", async () => (await import("./tools/index.js")).toolsCommand],
  ["migrate", async () => (await import("./store/migrate.js")).migrateCommand],
  ["copy", async () => (await import("./store/copy.js")).copyCommand],
  ["config", async () => (await import("./settings/config.js")).configCommand],
  ["operations", async () => (await import("./operations/index.js")).operationsCommand],
  ["doctor", async () => (await import("./doctor/index.js")).doctorCommand],
]);

/**
 * Creates the command line; nothing runs or exits before it is parsed.
 * @param args the arguments to be parsed. When the first one names a command, the other commands
 * are left out.
 */
export async function createProgram(
  context: CliContext,
  args: readonly string[] = [],
): Promise<Command> {
  const program = new Command("steward")
    .description("The control plane for LLM agents that work on a company's data.")
    .version(version(), "--version", "Print the version.");
  for (const load of neededBy(args)) program.addCommand((await load())(context));
  program.hook("preAction", (_program, command) => {
    if (command.opts<CredentialOptions>().apiKey === undefined) return;
    context.terminal.note(
      "warning: --api-key can be seen by other users of this machine; use STEWARD_API_KEY or --api-key-file",
    );
  });
  settle(program, context);
  return program;
}

/**
 * The commands to import: all of them unless the first argument names one, because the help lists
 * all commands and suggestions for a misspelt one need their names.
 */
function neededBy([first = ""]: readonly string[]): readonly (() => Promise<MakeCommand>)[] {
  if (first === "--version") return [];
  const chosen = COMMANDS.get(first);
  return chosen === undefined ? [...COMMANDS.values()] : [chosen];
}

/** Makes every command throw instead of exiting, and write through the terminal. */
function settle(command: Command, context: CliContext, path: readonly string[] = []): void {
  const example = EXAMPLES[path.join(" ")];
  if (example !== undefined) {
    const line = ["steward", ...path, example].join(" ").trimEnd();
    command.addHelpText("after", `\nExample:\n  ${line}`);
  }
  const width = (): number => context.terminal.width ?? HELP_WIDTH_DEFAULT;
  command.configureHelp({
    minWidthToWrap: HELP_WIDTH_MIN,
    // A command's own options come before those that many commands share.
    groupItems: (_all, visible, groupOf) => {
      const own = "Options:";
      const names = [...new Set(visible.map(groupOf))].sort(
        (a, b) => Number(b === own) - Number(a === own),
      );
      return new Map(names.map((name) => [name, visible.filter((item) => groupOf(item) === name)]));
    },
    formatItem: (term, termWidth, description, help) =>
      formatHelpItem(term, termWidth, description, help),
  });
  const refuse = (error: CommanderError): never => {
    const missing = MISSING.has(error.code) ? missingIn(command) : [];
    throw missing.length < 2
      ? error
      : new CommanderError(error.exitCode, error.code, missing.join("; "));
  };
  command.exitOverride(refuse).configureOutput({
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    writeOut: (text) => {
      context.terminal.print(text.trimEnd());
    },
    writeErr: (text) => {
      context.terminal.note(text.trimEnd());
    },
    // Errors are printed by the caller, in one format.
    outputError: () => undefined,
  });
  for (const sub of command.commands) settle(sub, context, [...path, sub.name()]);
}

/** Commander's codes for something that a command requires. */
const MISSING: ReadonlySet<string> = new Set([
  "commander.missingMandatoryOptionValue",
  "commander.missingArgument",
]);

/** All that a command requires and did not get; commander names the first only. */
function missingIn(command: Command): readonly string[] {
  const isGiven = (name: string): boolean => command.getOptionValue(name) !== undefined;
  const options = command.options.filter(
    (option) => option.mandatory && !isGiven(option.attributeName()),
  );
  return [
    ...options.map(({ flags }) => `required option '${flags}' not specified`),
    ...command.registeredArguments
      .slice(command.args.length)
      .filter(({ required }) => required)
      .map((argument) => `missing required argument '${argument.name()}'`),
  ];
}
