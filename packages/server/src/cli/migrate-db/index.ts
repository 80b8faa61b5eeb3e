import { Command } from "commander";
import type { CliContext } from "../context.js";
import { diffCommand } from "./diff.js";
import { driftCommand } from "./drift.js";
import { dumpCommand } from "./dump.js";
import { listCommand, showCommand } from "./show.js";
import { proposeCommand } from "./propose.js";
import { applyCommand, resumeCommand, revertCommand, undoCommand } from "./run.js";
import { verifyCommand } from "./verify.js";

/** `steward migrate-db …`: migrates a data source's schema by proven scripts. */
export function migrateDbCommand(context: CliContext): Command {
  return new Command("migrate-db")
    .description("Changes the schema of a data source, by migrations that are proven first.")
    .addCommand(proposeCommand(context))
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(revertCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(undoCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(driftCommand(context))
    .addCommand(dumpCommand(context));
}
