import type { Migration } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../server-connection.js";
import type { ClientOptions } from "../server-connection.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

interface RunOptions extends ClientOptions {
  readonly acceptDataLoss?: true;
}

/** `steward migrate-db apply`: runs a migration, on the very schema it is for. */
export function applyCommand(context: CliContext): Command {
  return runCommand("apply", "Runs a migration, on the very schema it is for.", context);
}

/** `steward migrate-db revert`: runs an applied migration backwards. */
export function revertCommand(context: CliContext): Command {
  return runCommand("revert", "Runs an applied migration backwards.", context);
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

function runCommand(
  name: "apply" | "revert" | "resume" | "undo",
  description: string,
  { env, terminal }: CliContext,
): Command {
  return schemaAdminCommand(name, description)
    .argument("<id>", "Id of the migration.")
    .option("--accept-data-loss", "Let rows and values be lost.")
    .action(async (id: string, options: RunOptions) => {
      const request = { accept_data_loss: options.acceptDataLoss ?? false };
      const migration = await connect(options, env).migrations[name](id, request);
      if (options.json) terminal.printJson(migration);
      else terminal.print(lineOf(migration));
    });
}

function lineOf({ migration_id, status, commits }: Migration): string {
  return `${migration_id}  ${status}  ${commits.at(-1) ?? ""}`;
}
