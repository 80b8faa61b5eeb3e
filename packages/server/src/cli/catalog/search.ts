import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, type ClientOptions, connect } from "../connection/server-connection.js";
import { wholeNumber } from "./whole-number.js";

interface SearchOptions extends ClientOptions {
  readonly dataSource?: string;
  readonly limit?: string;
}

/** `steward catalog search`: finds the tables that answer a question. */
export function searchCommand({ env, terminal }: CliContext): Command {
  return clientCommand("search", "Finds the tables that answer a question.")
    .argument("<question>", "A question or words.")
    .option("--data-source <name>", "Only tables of this data source.")
    .option("--limit <n>", "Maximum number of tables, 1 to 50.")
    .action(async (query: string, options: SearchOptions) => {
      const { dataSource, limit } = options;
      const tables = await connect(options, env).catalog.search({
        query,
        ...(dataSource === undefined ? {} : { data_source: dataSource }),
        ...(limit === undefined ? {} : { limit: wholeNumber("--limit", limit) }),
      });
      if (options.json) {
        terminal.printJson(tables);
        return;
      }
      const columns = [
        { title: "SCORE", align: "right" as const },
        { title: "DATA SOURCE" },
        { title: "TABLE", whole: true },
        { title: "COLUMNS" },
      ];
      const rows = tables.map((found) => [
        found.score.toFixed(4),
        found.data_source,
        found.table,
        found.columns.map(({ name }) => name).join(", "),
      ]);
      if (rows.length === 0) terminal.note("no table matches");
      else terminal.printTable(columns, rows);
    });
}
