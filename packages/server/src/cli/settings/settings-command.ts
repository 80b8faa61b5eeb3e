import { Command } from "commander";
import { readConfig } from "../../config/index.js";
import type { Config, SettingProblem, SettingReport, SettingSources } from "../../config/index.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import { JSON_OPTION_HELP } from "../json-option.js";
import { withSettingOptions } from "./setting-options.js";
import type { Terminal } from "../terminal/terminal.js";

/** The options of a command about a local server, besides the settings. */
export interface SettingsOptions {
  readonly json?: true;
}

/** A command about a local server, with a flag for every setting. */
export function settingsCommand(name: string, description: string): Command {
  const command = new Command(name).description(description).option("--json", JSON_OPTION_HELP);
  return withSettingOptions(command);
}

/** The configuration of a start, and how each setting was read. */
export interface StartConfig extends Config {
  readonly settings: readonly SettingReport[];
}

/**
 * Loads the configuration of a start, and prints warnings.
 * @throws CliError that names every invalid setting.
 */
export async function configOrExit(
  sources: SettingSources,
  terminal: Terminal,
): Promise<StartConfig> {
  const { config, settings, problems, warnings } = await readConfig(sources);
  for (const warning of warnings) terminal.note(terminal.errorColors.yellow(`warning: ${warning}`));
  if (config !== undefined) return { ...config, settings };
  throw unusable(problems);
}

function unusable(problems: readonly SettingProblem[]): CliError {
  return new CliError("The configuration is not usable; nothing was started", {
    exitCode: EXIT.usage,
    code: "CONFIGURATION",
    fix: "correct these settings; `steward config` shows all of them",
    details: problems.map(({ setting, reason, fix }) => ({
      field: setting,
      reason: `${reason}; ${fix}`,
    })),
  });
}
