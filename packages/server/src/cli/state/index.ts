import { Command } from "commander";
import type { CliContext } from "../context.js";
import { STATE } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";
import { branchCommand } from "./branch.js";
import { diffCommand } from "./diff.js";
import { exportCommand } from "./export.js";
import { importCommand } from "./import.js";
import { logCommand } from "./log.js";
import { mergeCommand } from "./merge.js";
import { proofCommand, verifyCommand } from "./proof.js";
import { queryCommand } from "./query.js";
import { revertCommand } from "./revert.js";
import { fsckCommand } from "./upkeep.js";

/** `steward state …`: manages RDF datasets and their history. */
export function stateCommand(context: CliContext): Command {
  const command = new Command("state")
    .description("Shows and changes datasets of RDF, with their history.")
    .addCommand(logCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(branchCommand(context))
    .addCommand(mergeCommand(context))
    .addCommand(revertCommand(context))
    .addCommand(queryCommand(context))
    .addCommand(importCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(proofCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(fsckCommand(context));
  return addOperationCommands(command, context, { group: "state", commands: STATE });
}
