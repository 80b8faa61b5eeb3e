import { Command } from "commander";
import type { CliContext } from "../context.js";
import { BILLING } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";

/** `steward budget …`: limits of usage. */
export function budgetCommand(context: CliContext): Command {
  const command = new Command("budget").description("Shows and sets budgets for usage.");
  return addOperationCommands(command, context, { group: "billing", commands: BILLING });
}
