import type { Command } from "commander";
import { maskDatabaseUrl, SETTINGS } from "../config/index.js";
import { CliError } from "./cli-error.js";
import type { CliContext } from "./context.js";
import { EXIT } from "./exit-code.js";
import { configOrExit, settingsCommand, type SettingsOptions } from "./settings-command.js";
import { settingFlags } from "./setting-options.js";

interface MigrateOptions extends SettingsOptions {
  readonly dryRun?: true;
}

/** `steward migrate`: brings the store up to date ahead of a start, which would do it too. */
export function migrateCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "migrate",
    "Brings the store's schema up to date. A server does so when it starts; this does it ahead.",
  ).option("--dry-run", "Only say what would be done.");
  return command.action(async (options: MigrateOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const url = config.databaseUrl;
    if (url === undefined) throw noStore();
    const { migrateStore } = await import("../app-migrate.js");
    const dryRun = options.dryRun === true;
    const migrations = await migrateStore(url, { dryRun });
    if (options.json) {
      terminal.printJson({ applied: dryRun ? [] : migrations, pending: dryRun ? migrations : [] });
      return;
    }
    const store = maskDatabaseUrl(url);
    if (migrations.length === 0) terminal.print(`${store} is up to date`);
    for (const name of migrations) terminal.print(`${dryRun ? "would apply" : "applied"} ${name}`);
  });
}

function noStore(): CliError {
  return new CliError("There is no store to migrate", {
    exitCode: EXIT.usage,
    code: "CONFIGURATION",
    fix: `set ${SETTINGS.databaseUrl.name}, such as postgres://steward@db.example.com/steward`,
  });
}
