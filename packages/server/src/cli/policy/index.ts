import { Command } from "commander";
import type { CliContext } from "../context.js";
import { checkCommand } from "./check.js";
import { explainCommand } from "./explain.js";
import { initCommand } from "./init.js";
import { putCommand } from "./put.js";
import { showCommand } from "./show.js";
import { testCommand } from "./test.js";

/** `steward policy …`: manages access policies. */
export function policyCommand(context: CliContext): Command {
  return new Command("policy")
    .description("Writes, shows, checks, tests, changes and explains your organization's policies.")
    .addCommand(initCommand(context))
    .addCommand(showCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(testCommand(context))
    .addCommand(putCommand(context))
    .addCommand(explainCommand(context));
}
