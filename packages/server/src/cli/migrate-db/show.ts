import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { migrationLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

/** `steward migrate-db show`: prints a migration's operations and statements. */
export function showCommand({ env, terminal }: CliContext): Command {
  return schemaAdminCommand("show", "Shows a migration: what happens, and by which statements.")
    .argument("<id>", "Id of the migration.")
    .action(async (id: string, options: ClientOptions) => {
      const migration = await connect(options, env).migrations.getMigration({ migration_id: id });
      if (options.json) terminal.printJson(migration);
      else migrationLines(migration, terminal.outColors).forEach(terminal.print);
    });
}

/** `steward migrate-db list`: lists all migrations, newest first. */
export function listCommand({ env, terminal }: CliContext): Command {
  return schemaAdminCommand("list", "Lists the migrations, the newest first.").action(
    async (options: ClientOptions) => {
      const migrations = await connect(options, env).migrations.listMigrations();
      if (options.json) {
        terminal.printJson(migrations);
        return;
      }
      const titles = ["ID", "DATABASE", "STATUS", "PROPOSED", "AUTHOR", "MESSAGE"];
      const rows = migrations.map((each) => [
        each.migration_id,
        each.database,
        each.status,
        each.proposed_at,
        each.author,
        each.message,
      ]);
      const columns = titles.map((title, index) => ({ title, whole: index === 0 }));
      terminal.printTable(columns, rows);
      if (rows.length === 0) terminal.note("no migrations yet");
    },
  );
}
