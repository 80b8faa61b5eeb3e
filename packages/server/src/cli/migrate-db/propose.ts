import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../server-connection.js";
import type { ClientOptions } from "../server-connection.js";
import { readTextFile } from "../text-file.js";
import { migrationLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

interface ProposeOptions extends ClientOptions {
  readonly message: string;
}

/** `steward migrate-db propose`: works out and proves how a database comes to have a schema. */
export function proposeCommand({ env, stdin, terminal }: CliContext): Command {
  return schemaAdminCommand("propose", "Works out, and proves, the way to a wanted schema.")
    .argument("<database>", "Name of the data source.")
    .argument(
      "<file>",
      "The whole schema as SQL; `-- @renamed from=OLD` marks a rename; - for stdin.",
    )
    .requiredOption("-m, --message <text>", "What the change is for.")
    .action(async (database: string, file: string, options: ProposeOptions) => {
      const sql = await readTextFile(file, stdin, "a file of SQL");
      const { message } = options;
      const proposal = { database, sql, message };
      const migration = await connect(options, env).migrations.propose(proposal);
      if (options.json) terminal.printJson(migration);
      else {
        migrationLines(migration, terminal.outColors).forEach(terminal.print);
        terminal.note(`proven; apply it with: steward migrate-db apply ${migration.migration_id}`);
      }
    });
}
