import { Command } from "commander";
import type { CliContext } from "../context.js";
export { eraseCommand } from "./erase.js";
export { holdCommand } from "./hold.js";
import { setCommand } from "./set.js";
import { showCommand } from "./show.js";

/** `steward retention …`: for how long data is kept. */
export function retentionCommand(context: CliContext): Command {
  return new Command("retention")
    .description("Shows and sets for how long your organization's data is kept.")
    .addCommand(showCommand(context))
    .addCommand(setCommand(context));
}
