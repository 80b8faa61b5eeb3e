import type { Migration } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { confirm, isInteractive } from "../terminal/confirm.js";
import { EXIT } from "../exit-code.js";
import { runLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

interface RunOptions extends ClientOptions {
  readonly acceptDataLoss?: true;
  readonly yes?: true;
  readonly digest?: string;
}

/** Whether a run may begin. The digest identifies the migration that the person has reviewed. */
type Permission = { readonly allowed: boolean; readonly digest?: string };

/** The direction and the script of each command that asks for confirmation. */
const ASKED = {
  apply: { goal: "applied", way: "up" },
  revert: { goal: "reverted", way: "down" },
} as const;

/**
 * `steward migrate-db apply`: runs a migration; the database must have exactly the migration's base
 * schema.
 */
export function applyCommand(context: CliContext): Command {
  return askingCommand(
    "apply",
    "Applies a migration, if the database has the schema that it starts from.",
    context,
  );
}

/** `steward migrate-db revert`: runs an applied migration backwards. */
export function revertCommand(context: CliContext): Command {
  return askingCommand("revert", "Reverts an applied migration.", context);
}

/** `steward migrate-db resume`: resumes an interrupted run. */
export function resumeCommand(context: CliContext): Command {
  return runCommand("resume", "Resumes a run that stopped half way.", context);
}

/** `steward migrate-db undo`: undoes the changes of an interrupted run. */
export function undoCommand(context: CliContext): Command {
  const description = "Undoes the changes of a run that stopped half way, and nothing else.";
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
 * Shows the effects of a run and asks for confirmation. No question is asked without a terminal, or
 * with --yes or --json.
 */
async function isAllowed(
  name: "apply" | "revert",
  id: string,
  options: RunOptions,
  context: CliContext,
): Promise<Permission> {
  if (options.yes === true || options.json === true || !isInteractive(context)) {
    return { allowed: true };
  }
  const { env, terminal } = context;
  const { goal, way } = ASKED[name];
  const migration = await connect(options, env).migrations.getMigration({ migration_id: id });
  const { digest } = migration;
  if (migration.status === goal) return { allowed: true, digest };
  runLines(migration, way, terminal.errorColors).forEach(terminal.note);
  return { allowed: await confirm(`${name} it?`, context), digest };
}

function runCommand(
  name: "apply" | "revert" | "resume" | "undo",
  description: string,
  { env, terminal, exitWith }: CliContext,
  permissionFor: (id: string, options: RunOptions) => Promise<Permission> = () =>
    Promise.resolve({ allowed: true }),
): Command {
  return schemaAdminCommand(name, description)
    .argument("<id>", "Id of the migration.")
    .option("--accept-data-loss", "Accept the loss of rows and values.")
    .option(
      "--digest <sha256>",
      "Digest of the migration that you reviewed (default: the present one).",
    )
    .action(async (id: string, options: RunOptions) => {
      const permission = await permissionFor(id, options);
      if (!permission.allowed) {
        terminal.note("nothing was changed");
        exitWith(EXIT.failed);
        return;
      }
      const { migrations } = connect(options, env);
      const digest =
        options.digest ??
        permission.digest ??
        (await migrations.getMigration({ migration_id: id })).digest;
      const request = { accept_data_loss: options.acceptDataLoss ?? false, digest };
      const migration = await migrations[`${name}Migration`]({ migration_id: id, ...request });
      if (options.json) terminal.printJson(migration);
      else terminal.print(lineOf(migration));
    });
}

function lineOf({ migration_id, status, commits }: Migration): string {
  return `${migration_id}  ${status}  ${commits.at(-1) ?? ""}`;
}
