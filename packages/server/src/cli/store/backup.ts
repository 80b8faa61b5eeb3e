import type { Command } from "commander";
import { systemClock } from "@steward/kernel/clock.js";
import { inDataDirectory, readSetting, SETTINGS, sqliteFile } from "../../config/index.js";
import type { Setting, SettingSources } from "../../config/index.js";
import type { StoreCopy, StorePlaces } from "../../storage/sqlite/backup.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { progressBar } from "../terminal/progress-bar.js";
import { settingsCommand } from "../settings/settings-command.js";
import type { SettingsOptions } from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";

/** `steward backup`: copies the embedded store, even while a server uses it. */
export function backupCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "backup",
    "Copies the SQLite store to a new file, and the state to a directory FILE.state beside it, also while a server works on them.",
  ).argument("<file>", "where the copy goes; neither it nor FILE.state may exist");
  return command.action(async (file: string, options: SettingsOptions) => {
    const places = storePlaces({ env, flags: settingFlags(command) });
    const { backupStore } = await import("../../storage/sqlite/backup.js");
    const bar = progressBar(terminal, "pages copied");
    const copied = await backupStore(places, file, ({ done, total }) => {
      bar.show(done, total);
    });
    bar.end();
    if (options.json) terminal.printJson(copied);
    else {
      terminal.print(describe(copied));
      const { path, statePath } = copied;
      if (statePath !== undefined)
        terminal.note(`keep both: ${path} is of no use without ${statePath}`);
    }
  });
}

/** `steward restore`: replaces the store by a backup. */
export function restoreCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "restore",
    "Replaces the SQLite store by a backup. The server must be stopped.",
  )
    .argument("<file>", "a file that `steward backup` wrote; FILE.state must be beside it")
    .option("--replace", "keep an existing store under another name, and continue");
  return command.action(async (file: string, options: RestoreOptions) => {
    const places = storePlaces({ env, flags: settingFlags(command) });
    const { restoreStore } = await import("../../storage/sqlite/backup.js");
    const replace = options.replace === true;
    const restored = restoreStore(file, places, { replace, nowMs: systemClock.nowMs() });
    const { auditRollback } = await import("../../app/start-checks/audit-rollback.js");
    // A backup of an earlier version cannot be compared before the server migrates it, and compares it.
    const rollback = await auditRollback(
      `sqlite:${places.store}`,
      places.dataDir,
      places.logName,
    ).catch(() => undefined);
    if (rollback !== undefined) terminal.note(`no server will start on it yet. ${rollback}`);
    if (options.json) {
      terminal.printJson(restored);
      return;
    }
    terminal.print(describe(restored));
    const { former, formerState } = restored;
    if (former !== undefined) terminal.note(`the previous store is ${former}`);
    if (formerState !== undefined) terminal.note(`its state is ${formerState}`);
  });
}

interface RestoreOptions extends SettingsOptions {
  readonly replace?: true;
}

/** The store with what belongs to it. */
interface OwnPlaces extends StorePlaces {
  readonly dataDir: string;
  readonly logName: string;
}

/** @throws CliError when the store is not a file. */
function storePlaces(sources: SettingSources): OwnPlaces {
  const url = settingOrExit(SETTINGS.databaseUrl, sources);
  const store = url === undefined ? undefined : sqliteFile(url);
  if (store !== undefined) {
    const dataDir = settingOrExit(SETTINGS.dataDir, sources) ?? "";
    const logName = settingOrExit(SETTINGS.audit.name, sources) ?? "";
    return { store, state: inDataDirectory(dataDir, "state"), dataDir, logName };
  }
  throw usageError(
    url === undefined ? "No store is named" : "The store is not an SQLite file",
    url === undefined
      ? "set SERVICE_DATABASE_URL or --database-url, such as sqlite:./.steward/steward.db"
      : "use pg_dump and pg_restore for a PostgreSQL store",
  );
}

function settingOrExit<T>(setting: Setting<T>, sources: SettingSources): T | undefined {
  const { value, problem } = readSetting(setting, sources);
  if (problem === undefined) return value;
  throw usageError(`${problem.setting}: ${problem.reason}`, problem.fix);
}

function describe({ path, bytes, schemaVersion, states, statePath }: StoreCopy): string {
  const file = `${path}: ${megabytes(bytes)}, schema ${String(schemaVersion)}`;
  if (statePath === undefined) return file;
  const whose = states === 1 ? "one organization" : `${String(states)} organizations`;
  return `${file}\n${statePath}: the state of ${whose}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
