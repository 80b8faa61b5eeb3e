import { Command } from "commander";
import type { CliContext } from "../context.js";
import { listCommand } from "./list.js";
import { retryCommand } from "./retry.js";
import { testCommand } from "./test.js";

/** `steward webhooks …`: the messages that targets have not accepted. */
export function webhooksCommand(context: CliContext): Command {
  return new Command("webhooks")
    .description("Shows webhook messages that were not accepted, and sends them again.")
    .addCommand(listCommand(context))
    .addCommand(retryCommand(context))
    .addCommand(testCommand(context));
}
