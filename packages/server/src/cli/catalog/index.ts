import type { CatalogMatch } from "@steward/client";
import { Command } from "commander";
import type { CliContext } from "../context.js";
import { CATALOG } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";
import { listCommand } from "./list.js";

/** `steward catalog …`: shows what an agent can find out about the data. */
export function catalogCommand(context: CliContext): Command {
  const command = new Command("catalog")
    .description("Lists tools and data sources, finds tables and describes them.")
    .addCommand(listCommand(context));
  const rows = { searchCatalog: withTexts };
  return addOperationCommands(command, context, { group: "catalog", commands: CATALOG, rows });
}

function withTexts(match: CatalogMatch) {
  const { score, columns } = match;
  return {
    ...match,
    score: score.toFixed(4),
    columns: columns.map(({ name }) => name).join(", "),
  };
}
