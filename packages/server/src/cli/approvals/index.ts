import { Command } from "commander";
import type { CliContext } from "../context.js";
import { APPROVALS } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";
import { decideCommand } from "./decide.js";
import { listCommand } from "./list.js";
import { showCommand } from "./show.js";
import { watchCommand } from "./watch.js";

/** `steward approvals …`: shows what waits for a person, and decides about it. */
export function approvalsCommand(context: CliContext): Command {
  const command = new Command("approvals")
    .description("Shows what waits for a person's approval, and decides about it.")
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(decideCommand(context, "approve"))
    .addCommand(decideCommand(context, "deny"));
  addOperationCommands(command, context, { group: "approvals", commands: APPROVALS });
  return command.addCommand(watchCommand(context));
}
