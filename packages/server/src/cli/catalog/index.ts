import { Command } from "commander";
import type { CliContext } from "../context.js";
import { listCommand } from "./list.js";
import { searchCommand } from "./search.js";
import { showCommand } from "./show.js";

/** `steward catalog …`: shows what an agent can find out about the data. */
export function catalogCommand(context: CliContext): Command {
  return new Command("catalog")
    .description("Lists tools and data sources, finds tables and describes them.")
    .addCommand(listCommand(context))
    .addCommand(searchCommand(context))
    .addCommand(showCommand(context));
}
