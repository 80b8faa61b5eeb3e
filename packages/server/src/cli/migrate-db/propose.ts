import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { migrationLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";
import { readSchemaFiles } from "./schema-files.js";

interface ProposeOptions extends ClientOptions {
  readonly message: string;
}

/** `steward migrate-db propose`: plans and proves a migration to a wanted schema. */
export function proposeCommand({ env, stdin, terminal }: CliContext): Command {
  return schemaAdminCommand("propose", "Derives the migration to a proposed schema, and proves it.")
    .argument("<database>", "Name of the data source.")
    .argument(
      "<files...>",
      "The whole schema as SQL: files, folders of *.sql, - for stdin; `-- @renamed from=OLD` marks a rename.",
    )
    .requiredOption("-m, --message <text>", "Purpose of the change.")
    .action(async (database: string, paths: readonly string[], options: ProposeOptions) => {
      const sql = await readSchemaFiles(paths, stdin);
      const { message } = options;
      const outcome = await connect(options, env).migrations.proposeMigration({
        database,
        sql,
        message,
      });
      if (options.json) terminal.printJson(outcome);
      else if (outcome.status === "unchanged") {
        terminal.print(`${database} already has this schema: there is nothing to change`);
      } else {
        migrationLines(outcome, terminal.outColors).forEach(terminal.print);
        terminal.note(`proven; apply it with: steward migrate-db apply ${outcome.migration_id}`);
      }
    });
}
