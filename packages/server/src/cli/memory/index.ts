import { Command } from "commander";
import type { CliContext } from "../context.js";
import { addCommand } from "./add.js";
import { deleteCommand } from "./delete.js";
import { listCommand } from "./list.js";
import { reembedCommand } from "./reembed.js";
import { retentionCommand } from "./retention.js";
import { searchCommand } from "./search.js";
import { statsCommand } from "./stats.js";

/** `steward memory …`: manages memory entries. */
export function memoryCommand(context: CliContext): Command {
  return new Command("memory")
    .description("Searches, shows and changes memory entries.")
    .addCommand(searchCommand(context))
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(deleteCommand(context))
    .addCommand(retentionCommand(context))
    .addCommand(statsCommand(context))
    .addCommand(reembedCommand(context));
}
