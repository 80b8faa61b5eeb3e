import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

/** `steward migrate-db dump`: prints the current schema as SQL that can be edited and proposed. */
export function dumpCommand({ env, terminal }: CliContext): Command {
  return schemaAdminCommand(
    "dump",
    "Prints the present schema as SQL, in a form that can be proposed.",
  )
    .argument("[database]", "Name of the data source (default: the only one).")
    .action(async (database: string | undefined, options: ClientOptions) => {
      const dump = await connect(options, env).migrations.dumpSchema(
        database === undefined ? {} : { database },
      );
      if (options.json) terminal.printJson(dump);
      else terminal.print(dump.sql);
    });
}
