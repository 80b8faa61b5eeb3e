import type { Command } from "commander";
import { inDataDirectory, maskDatabaseUrl, sqliteFile } from "../../config/index.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { progressBar } from "../terminal/progress-bar.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";

/** `steward copy`: copies a SQLite store to an empty PostgreSQL database. */
export function copyCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "copy",
    "Copies the SQLite store and the state into an empty PostgreSQL database, and compares. The server must be stopped.",
  ).argument(
    "<url>",
    "the PostgreSQL database to copy to, such as postgres://steward@db.example.com/steward",
  );
  return command.action(async (url: string, options: SettingsOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const file = config.databaseUrl && sqliteFile(config.databaseUrl);
    if (file === undefined) {
      throw usageError(
        "There is no SQLite store to copy",
        "set SERVICE_DATABASE_URL to its sqlite:PATH",
      );
    }
    if (!/^postgres(ql)?:/.test(url)) {
      throw usageError(
        `${maskDatabaseUrl(url)} is no PostgreSQL database`,
        "name it postgres://user@host/name",
      );
    }
    const { copyStore } = await import("../../app/copy.js");
    const bar = progressBar(terminal, "plans, rows and states");
    const places = { store: file, state: inDataDirectory(config.dataDir, "state") };
    const copied = await copyStore(places, url, (done, total) => {
      bar.show(done, total);
    });
    bar.end();
    if (options.json) {
      terminal.printJson(copied);
      return;
    }
    terminal.print(`${copied.plans} plans copied to ${maskDatabaseUrl(url)}, all equal`);
    for (const [table, count] of Object.entries(copied.rows)) {
      terminal.print(`${count} rows of ${table}`);
    }
    for (const [orgId, { refs, blocks }] of Object.entries(copied.states)) {
      terminal.print(`${blocks} blocks and ${refs} refs of the state of ${orgId}`);
    }
    terminal.print("now set SERVICE_DATABASE_URL to it, and start the servers");
  });
}
