import type { Command } from "commander";
import { maskDatabaseUrl } from "../../config/index.js";
import type { Config } from "../../config/index.js";
import type { CliContext } from "../context.js";
import { tellOfEmbedding } from "./embedding-note.js";
import { runServer } from "./run-server.js";
import { configOrExit, settingsCommand } from "../settings/settings-command.js";
import type { SettingsOptions } from "../settings/settings-command.js";
import { serverUrls } from "./server-urls.js";
import { settingFlags } from "../settings/setting-options.js";
import type { Terminal } from "../terminal/terminal.js";

/** `steward serve`: runs a server as configured, without development defaults. */
export function serveCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand("serve", "Runs the server for production.");
  return command.action(async (options: SettingsOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    warnOfGaps(config, terminal);
    tellOfEmbedding(config, terminal);
    await runServer({ ...config, agentsOnlyRead: true }, terminal, (app) => {
      const urls = serverUrls(app, config);
      if (options.json) terminal.printJson({ ready: true, pid: process.pid, ...urls });
      else {
        const { rest, grpc, console: page } = urls;
        const shown = page === undefined ? "" : `  console ${page}`;
        terminal.print(`Steward is ready: REST ${rest}  gRPC ${grpc}${shown}`);
      }
    });
  });
}

/** Warns about missing optional settings that a server usually needs. */
function warnOfGaps({ databaseUrl, dataSources }: Config, terminal: Terminal): void {
  const { yellow } = terminal.errorColors;
  if (databaseUrl === undefined) {
    terminal.note(
      yellow(
        "warning: no database: every write is refused (ORCHESTRATOR_NOT_CONFIGURED); set SERVICE_DATABASE_URL",
      ),
    );
  } else {
    terminal.note(terminal.errorColors.dim(`plans are kept in ${maskDatabaseUrl(databaseUrl)}`));
  }
  if (dataSources.length === 0) {
    terminal.note(yellow("warning: no data source: no step can run; set SERVICE_DATA_SOURCES"));
  }
}
