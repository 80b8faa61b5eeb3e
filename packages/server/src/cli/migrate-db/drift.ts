import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { operationLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

interface DriftOptions extends ClientOptions {
  readonly accept?: string;
}

/** `steward migrate-db drift`: exits with 1 when the database differs from its recorded schema. */
export function driftCommand({ env, terminal, exitWith }: CliContext): Command {
  return schemaAdminCommand("drift", "Compares a database with its last recorded schema.")
    .argument("<database>", "Name of the data source.")
    .option("--accept <message>", "Accept the present schema as the recorded one.")
    .action(async (database: string, options: DriftOptions) => {
      const { migrations } = connect(options, env);
      const drift = await migrations.getSchemaDrift({ database });
      const { accept: message } = options;
      if (message !== undefined) await migrations.acceptSchemaDrift({ database, message });
      if (options.json) terminal.printJson(drift);
      else if (drift.differences.length === 0)
        terminal.print(`${database} has its recorded schema`);
      else operationLines(drift.differences, terminal.outColors).forEach(terminal.print);
      if (message !== undefined) terminal.note("the present schema is recorded");
      else if (drift.differences.length > 0) exitWith(EXIT.failed);
    });
}
