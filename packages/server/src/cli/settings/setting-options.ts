import { Option } from "commander";
import type { Command } from "commander";
import { SETTINGS } from "../../config/index.js";
import type { Environment, Setting } from "../../config/index.js";

/** Adds a flag for every setting that has one. Values are parsed and validated by config. */
export function withSettingOptions(command: Command): Command {
  for (const { flag, type, help } of settings()) {
    if (flag !== undefined) command.addOption(new Option(`--${flag} <${type.placeholder}>`, help));
  }
  return command;
}

/** The given flags, keyed by the names of the settings' variables. */
export function settingFlags(command: Command): Environment {
  // The option of every setting takes text.
  const options = command.opts<Readonly<Record<string, string | undefined>>>();
  return Object.fromEntries(
    settings().flatMap(({ name, flag }) =>
      flag === undefined ? [] : [[name, options[new Option(`--${flag}`).attributeName()]]],
    ),
  );
}

function settings(): readonly Setting<unknown>[] {
  return Object.values<Setting<unknown>>({ ...SETTINGS });
}
