import type { Migration } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../server-connection.js";
import type { ClientOptions } from "../server-connection.js";
import { confirm, isInteractive } from "../confirm.js";
import { EXIT } from "../exit-code.js";
import { runLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

interface RunOptions extends ClientOptions {
  readonly acceptDataLoss?: true;
  readonly yes?: true;
}

/** Where each of the commands that ask leads, and by which script. */
const ASKED = {
  apply: { goal: "applied", way: "up" },
  revert: { goal: "reverted", way: "down" },
} as const;

/** `steward migrate-db apply`: runs a migration, on the very schema it is for. */
export function applyCommand(context: CliContext): Command {
  return askingCommand("apply", "Runs a migration, on the very schema it is for.", context);
}

/** `steward migrate-db revert`: runs an applied migration backwards. */
export function revertCommand(context: CliContext): Command {
  return askingCommand("revert", "Runs an applied migration backwards.", context);
}

/** `steward migrate-db resume`: goes on with a run that stopped half way. */
export function resumeCommand(context: CliContext): Command {
  return runCommand("resume", "Goes on with a run that stopped half way.", context);
}

/** `steward migrate-db undo`: takes back what a run that stopped half way has done. */
export function undoCommand(context: CliContext): Command {
  const description = "Takes back what a run that stopped half way has done, and nothing else.";
  return runCommand("undo", description, context);
}

function askingCommand(
  name: "apply" | "revert",
  description: string,
  context: CliContext,
): Command {
  return runCommand(name, description, context, (id, options) =>
    isAllowed(name, id, options, context),
  ).option("-y, --yes", "Do not ask on a terminal.");
}

/**
 * Shows a person what will happen, and asks. Who is no person is not asked: a script has no terminal, or
 * says --yes or --json.
 */
async function isAllowed(
  name: "apply" | "revert",
  id: string,
  options: RunOptions,
  context: CliContext,
): Promise<boolean> {
  if (options.yes === true || options.json === true || !isInteractive(context)) return true;
  const { env, terminal } = context;
  const { goal, way } = ASKED[name];
  const migration = await connect(options, env).migrations.show(id);
  if (migration.status === goal) return true;
  runLines(migration, way, terminal.errorColors).forEach(terminal.note);
  return confirm(`${name} it?`, context);
}

function runCommand(
  name: "apply" | "revert" | "resume" | "undo",
  description: string,
  { env, terminal, exitWith }: CliContext,
  allow: (id: string, options: RunOptions) => Promise<boolean> = () => Promise.resolve(true),
): Command {
  return schemaAdminCommand(name, description)
    .argument("<id>", "Id of the migration.")
    .option("--accept-data-loss", "Let rows and values be lost.")
    .action(async (id: string, options: RunOptions) => {
      if (!(await allow(id, options))) {
        terminal.note("nothing was changed");
        exitWith(EXIT.failed);
        return;
      }
      const request = { accept_data_loss: options.acceptDataLoss ?? false };
      const migration = await connect(options, env).migrations[name](id, request);
      if (options.json) terminal.printJson(migration);
      else terminal.print(lineOf(migration));
    });
}

function lineOf({ migration_id, status, commits }: Migration): string {
  return `${migration_id}  ${status}  ${commits.at(-1) ?? ""}`;
}
