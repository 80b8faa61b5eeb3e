import { Option } from "commander";
import type { Command } from "commander";
import { ALL_SETTINGS } from "../../config/index.js";
import type { Environment } from "../../config/index.js";

/**
 * Adds a flag for every setting that has one. Values are parsed and validated by config. Only the help
 * of `steward config` lists them, so that the help of others shows what is special about a command.
 */
export function withSettingOptions(command: Command): Command {
  const isConfig = command.name() === "config";
  for (const { flag, type, help } of ALL_SETTINGS) {
    if (flag === undefined) continue;
    const option = new Option(`--${flag} <${type.placeholder}>`, help);
    command.addOption(option.helpGroup("Settings:").hideHelp(!isConfig));
  }
  if (isConfig) return command;
  return command.addHelpText(
    "after",
    "\nEvery setting of a server is an option too: `steward config --help`.",
  );
}

/** The given flags, keyed by the names of the settings' variables. */
export function settingFlags(command: Command): Environment {
  // The option of every setting takes text.
  const options = command.opts<Readonly<Record<string, string | undefined>>>();
  return Object.fromEntries(
    ALL_SETTINGS.flatMap(({ name, flag }) =>
      flag === undefined ? [] : [[name, options[new Option(`--${flag}`).attributeName()]]],
    ),
  );
}
