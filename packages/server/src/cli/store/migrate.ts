import type { Command } from "commander";
import { maskDatabaseUrl, SETTINGS } from "../../config/index.js";
import type { Config } from "../../config/index.js";
import { CliError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { notStartable } from "../not-startable.js";
import type { Terminal } from "../terminal/terminal.js";
import { settingFlags } from "../settings/setting-options.js";

interface MigrateOptions extends SettingsOptions {
  readonly dryRun?: true;
  readonly distribute?: true;
}

/**
 * `steward migrate`: migrates the store's own schema before a start, which would otherwise do it.
 */
export function migrateCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "migrate",
    "Brings the store's schema up to date, which otherwise a server does when it starts.",
  )
    .option("--dry-run", "Only print what would be done.")
    .option("--distribute", "Also distribute its tables over the servers of a Citus cluster.");
  return command.action(async (options: MigrateOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const url = config.databaseUrl;
    if (url === undefined) throw noStore();
    await assertStartable(config, terminal);
    const { distributeStore, migrateStore } = await import("../../app/migrate.js");
    const dryRun = options.dryRun === true;
    const { migrations, statements } =
      options.distribute === true
        ? await distributeStore(url, { dryRun })
        : { migrations: await migrateStore(url, { dryRun }), statements: [] };
    if (options.json) {
      const names = dryRun
        ? { applied: [], pending: migrations }
        : { applied: migrations, pending: [] };
      terminal.printJson(options.distribute === true ? { ...names, statements } : names);
      return;
    }
    const store = maskDatabaseUrl(url);
    if (migrations.length + statements.length === 0) terminal.print(`${store} is up to date`);
    for (const name of migrations) terminal.print(`${dryRun ? "would apply" : "applied"} ${name}`);
    for (const sql of statements) terminal.print(`${dryRun ? "would run" : "ran"} ${sql}`);
  });
}

/**
 * What a server's start refuses, a migration refuses too, before it changes anything.
 * @throws CliError with everything that stops a start.
 */
async function assertStartable(config: Config, terminal: Terminal): Promise<void> {
  const { checkServices, checkStart } = await import("../../app/start-checks/index.js");
  const start = await checkStart(config);
  const failed = start.filter(({ status }) => status === "fail");
  if (failed.length > 0) throw notStartable(failed);
  for (const { name, status, found, fix } of [...start, ...(await checkServices(config))]) {
    if (status === "ok") continue;
    terminal.note(terminal.errorColors.yellow(`warning: ${name}: ${found}; fix: ${fix ?? ""}`));
  }
}

function noStore(): CliError {
  return new CliError("There is no store to migrate", {
    exitCode: EXIT.usage,
    code: "CONFIGURATION",
    fix: `set ${SETTINGS.databaseUrl.name}, such as postgres://steward@db.example.com/steward`,
  });
}
