import { Command } from "commander";
import type { CliContext } from "../context.js";
import { dbtCommand } from "./dbt.js";
import { listCommand } from "./list.js";
import { loginCommand } from "./login.js";
import { pinCommand } from "./pin.js";
import { testCommand } from "./test.js";

/** `steward tools …`: the tools of the tools file, as an operator tests or accepts them. */
export function toolsCommand(context: CliContext): Command {
  return new Command("tools")
    .description(
      "Tests the tools with their own statement, and accepts the tools of other MCP servers.",
    )
    .addCommand(listCommand(context))
    .addCommand(pinCommand(context))
    .addCommand(loginCommand(context))
    .addCommand(testCommand(context))
    .addCommand(dbtCommand(context));
}
