import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, type ClientOptions, connect } from "../connection/server-connection.js";

/** `steward catalog list`: the tools and data sources that the caller may use. */
export function listCommand({ env, terminal }: CliContext): Command {
  return clientCommand("list", "Lists the tools and data sources that you may use.").action(
    async (options: ClientOptions) => {
      const catalog = await connect(options, env).catalog.listCatalog();
      if (options.json) {
        terminal.printJson(catalog);
        return;
      }
      const columns = [{ title: "DATA SOURCE" }, { title: "TOOL" }, { title: "INTENTS" }];
      const { default_data_source: first } = catalog;
      const rows = [
        ...catalog.data_sources.map(({ name, intents }) => [
          name === first ? `${name} (default)` : name,
          "",
          intents.join(" "),
        ]),
        ...catalog.tools.map(({ name, data_source: on, intents }) => [on, name, intents.join(" ")]),
      ];
      if (rows.length === 0) terminal.note("there is no data source that you may use");
      else terminal.printTable(columns, rows);
    },
  );
}
