import { Command } from "commander";
import type { CliContext } from "../context.js";
import { listCommand } from "./list.js";
import { loginCommand } from "./login.js";
import { pinCommand } from "./pin.js";

/** `steward tools …`: the tools of other MCP servers, as an operator accepts them. */
export function toolsCommand(context: CliContext): Command {
  return new Command("tools")
    .description(
      "Shows the tools of other MCP servers in the tools file, and accepts their definitions.",
    )
    .addCommand(listCommand(context))
    .addCommand(pinCommand(context))
    .addCommand(loginCommand(context));
}
