import { Command } from "commander";
import type { CliContext } from "../context.js";
import { appendCommand } from "./append.js";
import { addOperationCommands } from "../operation-commands.js";
import { PLANS } from "../gen/commands.js";
import { executeCommand } from "./execute.js";
import { checkCommand } from "./check.js";
import { forkCommand } from "./fork.js";
import { getCommand } from "./get.js";
import { listCommand } from "./list.js";
import { retryCommand } from "./retry.js";
import { reviseCommand } from "./revise.js";
import { runCommand } from "./run.js";
import { submitCommand } from "./submit.js";
import { watchCommand } from "./watch.js";

/** `steward plan …`: manages plans on a server. */
export function planCommand(context: CliContext): Command {
  const commands = [
    checkCommand,
    submitCommand,
    getCommand,
    listCommand,
    runCommand,
    executeCommand,
    watchCommand,
    retryCommand,
    reviseCommand,
    appendCommand,
    forkCommand,
  ];
  const plan = new Command("plan").description("Submits, runs and follows plans on a server.");
  for (const command of commands) plan.addCommand(command(context));
  return addOperationCommands(plan, context, { group: "plans", commands: PLANS });
}
