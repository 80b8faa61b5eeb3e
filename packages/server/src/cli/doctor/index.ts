import { readConfig } from "../../config/index.js";
import type {
  Config,
  ConfigReading,
  Environment,
  SettingProblem,
  SettingSources,
} from "../../config/index.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { settingsCommand } from "../settings/settings-command.js";
import type { SettingsOptions } from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";
import type { Colors, Terminal } from "../terminal/terminal.js";
import type { Command } from "commander";
import {
  checkDisk,
  checkPort,
  checkServices,
  checkStart,
  fail,
  ok,
  warn,
  type Finding,
} from "../../app/start-checks/index.js";
import { checkNode, checkSqlite } from "./runtime.js";

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

/**
 * Everything up to listening is checked by the code with which a server starts. An invalid setting is
 * reported, and the others are checked as if it were unset.
 */
async function examine(sources: SettingSources): Promise<readonly Finding[]> {
  const reading = await readConfig(sources);
  const isWhole = reading.config !== undefined;
  const config = reading.config ?? (await readConfig(without(sources, reading.problems))).config;
  return [
    checkNode(),
    await checkSqlite(),
    ...checkSettings(reading),
    ...(config === undefined ? [] : await checkConfig(config)),
    ...(isWhole && config !== undefined ? gaps(config) : []),
  ];
}

/** The settings without those that have a problem. */
function without(sources: SettingSources, problems: readonly SettingProblem[]): SettingSources {
  const wrong = new Set(problems.flatMap(({ setting }) => [setting, `${setting}_FILE`]));
  const right = (values: Environment): Environment =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.has(name)));
  return { env: right(sources.env), flags: right(sources.flags ?? {}) };
}

async function checkConfig(config: Config): Promise<readonly Finding[]> {
  const { host, port, grpcPort, dataDir } = config;
  const start = await checkStart(config);
  const isWritable = start.every(({ name, status }) => name !== "data dir" || status === "ok");
  return [
    ...start,
    ...(isWritable ? checkDisk(dataDir) : []),
    await checkPort("port", host, port),
    ...(grpcPort === undefined ? [] : [await checkPort("gRPC port", host, grpcPort)]),
    ...(await checkServices(config)),
  ];
}

/** Optional settings that a server usually needs. */
function gaps({ databaseUrl, dataSources }: Config): readonly Finding[] {
  const store = warn(
    "database",
    "none: `steward serve` refuses every write",
    "set SERVICE_DATABASE_URL, such as sqlite:./.steward/steward.db",
  );
  const source = warn(
    "data source",
    "none: no step can run",
    "set SERVICE_DATA_SOURCES, such as shop=sqlite:./shop.db",
  );
  return [
    ...(databaseUrl === undefined ? [store] : []),
    ...(dataSources.length === 0 ? [source] : []),
  ];
}

function describe(checks: readonly Finding[], terminal: Terminal): void {
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

function sign(status: Finding["status"], { green, yellow, red }: Colors): string {
  switch (status) {
    case "ok":
      return green("ok  ");
    case "warn":
      return yellow("warn");
    case "fail":
      return red("FAIL");
  }
}

/** Reports errors and likely mistakes in the settings. */
function checkSettings({ settings, problems, warnings }: ConfigReading): readonly Finding[] {
  const found = [
    ...problems.map(({ setting, reason, fix }) => fail("settings", `${setting}: ${reason}`, fix)),
    ...warnings.map((warning) => warn("settings", warning, "rename or remove it")),
  ];
  if (found.length > 0) return found;
  const given = settings.filter(({ origin }) => origin === "flag" || origin === "environment");
  return [ok("settings", `${String(given.length)} set, all of them valid`)];
}
