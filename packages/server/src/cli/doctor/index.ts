import { readConfig, readSetting, SETTINGS } from "../../config/index.js";
import type { SettingSources } from "../../config/index.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { settingsCommand } from "../settings/settings-command.js";
import type { SettingsOptions } from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";
import type { Colors, Terminal } from "../terminal/terminal.js";
import type { Command } from "commander";
import type { Check } from "./check.js";
import { checkDataDirectory } from "./data-directory.js";
import { checkDataSources, checkStore } from "./databases.js";
import { checkPort } from "./port.js";
import { checkNode, checkSqlite } from "./runtime.js";
import { checkSettings } from "./settings.js";

/** `steward doctor`: checks everything that a server needs, and says how to correct problems. */
export function doctorCommand({ env, terminal, exitWith }: CliContext): Command {
  const command = settingsCommand(
    "doctor",
    "Checks whether a server can run here with the present settings.",
  );
  return command.action(async (options: SettingsOptions) => {
    const checks = await examine({ env, flags: settingFlags(command) });
    const failed = checks.filter(({ status }) => status === "fail").length;
    if (options.json) terminal.printJson({ ok: failed === 0, checks });
    else describe(checks, terminal);
    if (failed > 0) exitWith(EXIT.failed);
  });
}

/** An invalid setting is reported, and the checks that depend on it are skipped. */
async function examine(sources: SettingSources): Promise<readonly Check[]> {
  const host = readSetting(SETTINGS.host, sources).value;
  const port = readSetting(SETTINGS.port, sources).value;
  const grpcPort = readSetting(SETTINGS.grpcPort, sources).value;
  const dataDir = readSetting(SETTINGS.dataDir, sources).value;
  const store = readSetting(SETTINGS.databaseUrl, sources);
  const dataSources = readSetting(SETTINGS.dataSources, sources);
  const addresses = [
    { name: "port", port },
    { name: "gRPC port", port: grpcPort },
  ];
  const ports = addresses.flatMap(({ name, port: number }) =>
    host === undefined || number === undefined ? [] : [checkPort(name, host, number)],
  );
  return [
    checkNode(),
    await checkSqlite(),
    ...checkSettings(await readConfig(sources)),
    ...(dataDir === undefined ? [] : checkDataDirectory(dataDir)),
    ...(await Promise.all(ports)),
    ...(store.problem === undefined ? [await checkStore(store.value)] : []),
    ...(dataSources.problem === undefined ? await checkDataSources(dataSources.value ?? []) : []),
  ];
}

function describe(checks: readonly Check[], terminal: Terminal): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const colors = terminal.outColors;
  for (const { name, status, found, fix } of checks) {
    terminal.print(`${sign(status, colors)} ${name.padEnd(width)}  ${found}`);
    if (fix !== undefined) terminal.print(`  ${" ".repeat(width)}  ${colors.cyan("fix:")} ${fix}`);
  }
  const failed = checks.filter(({ status }) => status === "fail").length;
  const warned = checks.filter(({ status }) => status === "warn").length;
  const count = `${String(checks.length)} checks, ${String(warned)} warnings, ${String(failed)} failed`;
  terminal.print(colors.dim(count));
}

function sign(status: Check["status"], { green, yellow, red }: Colors): string {
  switch (status) {
    case "ok":
      return green("ok  ");
    case "warn":
      return yellow("warn");
    case "fail":
      return red("FAIL");
  }
}
