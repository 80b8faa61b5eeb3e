import type { Command } from "commander";
import { readConfig } from "../../config/index.js";
import type { ConfigReading, SettingReport } from "../../config/index.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { settingFlags } from "./setting-options.js";
import { settingsCommand } from "./settings-command.js";
import type { SettingsOptions } from "./settings-command.js";
import type { Terminal } from "../terminal/terminal.js";

/** `steward config`: prints every setting with its value and origin, secrets masked. */
export function configCommand({ env, terminal, exitWith }: CliContext): Command {
  const command = settingsCommand(
    "config",
    "Shows every setting of a server, its value and its source; secrets masked.",
  );
  return command.action(async (options: SettingsOptions) => {
    const reading = await readConfig({ env, flags: settingFlags(command) });
    if (options.json) terminal.printJson(toJson(reading));
    else describe(reading, terminal);
    if (reading.problems.length > 0) exitWith(EXIT.usage);
  });
}

function describe({ settings, problems, warnings }: ConfigReading, terminal: Terminal): void {
  const colors = terminal.outColors;
  const columns = [
    { title: "SETTING" },
    { title: "VALUE", paint: colors.bold },
    { title: "SOURCE", paint: colors.dim },
    { title: "FLAG", paint: colors.dim },
  ];
  const wrong = new Set(problems.map(({ setting }) => setting));
  const rows = settings.map(({ setting, shown, origin }) => [
    setting.name,
    `${shown ?? "-"}${wrong.has(setting.name) ? " (wrong)" : ""}`,
    origin,
    setting.flag === undefined ? "" : `--${setting.flag}`,
  ]);
  terminal.printTable(columns, rows);
  const { red, yellow, cyan } = terminal.errorColors;
  for (const { setting, reason, fix } of problems) {
    terminal.note(`${red("wrong:")} ${setting}: ${reason}\n  ${cyan("fix:")} ${fix}`);
  }
  for (const warning of warnings) terminal.note(`${yellow("warning:")} ${warning}`);
}

function toJson({ settings, problems, warnings }: ConfigReading): object {
  return { settings: settings.map(settingJson), problems, warnings };
}

function settingJson({ setting, shown, origin }: SettingReport): object {
  const { name, flag, help, type } = setting;
  return { name, flag, value: shown ?? null, source: origin, expected: type.shape, help };
}
