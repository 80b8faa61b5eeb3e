import type { Command } from "commander";
import { inDataDirectory, readSetting, SETTINGS, sqliteFile } from "../../config/index.js";
import type { Config, Environment, SettingSources } from "../../config/index.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { tellOfEmbedding } from "./embedding-note.js";
import { runServer } from "./run-server.js";
import { configOrExit, settingsCommand } from "../settings/settings-command.js";
import type { SettingsOptions } from "../settings/settings-command.js";
import { serverUrls } from "./server-urls.js";
import { settingFlags } from "../settings/setting-options.js";
import { agentLines, firstPlan, places } from "./welcome.js";

/** `steward dev`: runs a complete server on one port, with a local store and sample data. */
export function devCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "dev",
    "Runs everything on this machine, with an embedded store and a sample database.",
  );
  return command.action(async (options: SettingsOptions) => {
    const startedAtMs = performance.now();
    const sources = { env, flags: settingFlags(command) };
    const config = await configOrExit({ ...sources, defaults: devDefaults(sources) }, terminal);
    if (usesSample(config)) await createSample(config);
    tellOfEmbedding(config, terminal);
    await runServer(config, terminal, async (app) => {
      const urls = serverUrls(app, config);
      if (options.json) terminal.printJson({ ready: true, pid: process.pid, ...urls });
      else {
        const agentRights = await app.agentRights();
        const { outColors } = terminal;
        const readyMs = performance.now() - startedAtMs;
        places(urls, config, readyMs, agentRights, outColors).forEach(terminal.print);
        if (usesSample(config)) firstPlan(urls, outColors).forEach(terminal.print);
        agentLines(urls, outColors).forEach(terminal.print);
        terminal.print(outColors.dim("  Ctrl-C stops."));
      }
    });
  });
}

/**
 * Defaults of `dev` for unset settings. The log level is warn, because a person reads the terminal.
 */
function devDefaults(sources: SettingSources): Environment {
  const dataDir = readSetting(SETTINGS.dataDir, sources).value ?? "";
  return {
    [SETTINGS.databaseUrl.name]: `sqlite:${inDataDirectory(dataDir, "store")}`,
    [SETTINGS.dataSources.name]: `shop=sqlite:${inDataDirectory(dataDir, "sample")}`,
    [SETTINGS.logLevel.name]: "warn",
  };
}

/** Whether steps run on the sample database, rather than on configured data sources. */
function usesSample({ dataSources, dataDir }: Config): boolean {
  return dataSources.some(({ url }) => sqliteFile(url) === inDataDirectory(dataDir, "sample"));
}

async function createSample({ dataDir }: Config): Promise<void> {
  const file = inDataDirectory(dataDir, "sample");
  const { createSampleDatabase } = await import("../../adapters/sample-database/index.js");
  try {
    createSampleDatabase(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`Cannot write ${file}: ${reason}`, "choose another place with --data-dir");
  }
}
