import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, type ClientOptions, connect } from "../connection/server-connection.js";
import { wholeNumber } from "./whole-number.js";

interface ShowOptions extends ClientOptions {
  readonly dataSource?: string;
  readonly tokens?: string;
}

/** `steward catalog show`: describes a table as an agent sees it. */
export function showCommand({ env, terminal }: CliContext): Command {
  return clientCommand("show", "Describes a table as an agent sees it.")
    .argument("<table>", "Name of the table or view.")
    .option("--data-source <name>", "Data source of the table.")
    .option("--tokens <n>", "Tokens that the description may have, 100 to 100000.")
    .action(async (table: string, options: ShowOptions) => {
      const { dataSource, tokens } = options;
      const described = await connect(options, env).catalog.describe({
        table,
        ...(dataSource === undefined ? {} : { data_source: dataSource }),
        ...(tokens === undefined ? {} : { token_budget: wholeNumber("--tokens", tokens) }),
      });
      if (options.json) terminal.printJson(described);
      else terminal.print(described.text);
    });
}
