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
  readonly digest?: string;
}

/** Whether a run may begin; the digest is that of the migration that a person was shown. */
type Permission = { readonly allowed: boolean; readonly digest?: string };

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
): Promise<Permission> {
  if (options.yes === true || options.json === true || !isInteractive(context)) {
    return { allowed: true };
  }
  const { env, terminal } = context;
  const { goal, way } = ASKED[name];
  const migration = await connect(options, env).migrations.show(id);
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
    .option("--accept-data-loss", "Let rows and values be lost.")
    .option("--digest <sha256>", "Digest of the migration that you reviewed; else it is read now.")
    .action(async (id: string, options: RunOptions) => {
      const permission = await permissionFor(id, options);
      if (!permission.allowed) {
        terminal.note("nothing was changed");
        exitWith(EXIT.failed);
        return;
      }
      const { migrations } = connect(options, env);
      const digest = options.digest ?? permission.digest ?? (await migrations.show(id)).digest;
      const request = { accept_data_loss: options.acceptDataLoss ?? false, digest };
      const migration = await migrations[name](id, request);
      if (options.json) terminal.printJson(migration);
      else terminal.print(lineOf(migration));
    });
}

function lineOf({ migration_id, status, commits }: Migration): string {
  return `${migration_id}  ${status}  ${commits.at(-1) ?? ""}`;
}
