import type { Command } from "commander";
import { inDataDirectory, readSetting, SETTINGS } from "../../config/index.js";
import type { Config } from "../../config/index.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ReembeddingProgress } from "../../memory/index.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { configOrExit, settingsCommand } from "../settings/settings-command.js";
import type { SettingsOptions } from "../settings/settings-command.js";
import { progressBar } from "../terminal/progress-bar.js";
import { settingFlags } from "../settings/setting-options.js";
import { onStopSignal } from "../serve/stop-signal.js";
import type { Terminal } from "../terminal/terminal.js";

/** `steward memory reembed`: computes new vectors of all entries with the configured model. */
export function reembedCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "reembed",
    "Changes a store to the configured embedding model. Stop the server of an SQLite store first; interrupted, run it again.",
  );
  return command.action(async (options: SettingsOptions) => {
    const sources = { env, flags: settingFlags(command) };
    const dataDir = readSetting(SETTINGS.dataDir, sources).value ?? "";
    // The default store of `steward dev`.
    const store = { [SETTINGS.databaseUrl.name]: `sqlite:${inDataDirectory(dataDir, "store")}` };
    const config = await configOrExit({ ...sources, defaults: store }, terminal);
    const stop = new AbortController();
    using _signals = onStopSignal(() => {
      stop.abort(new Error("interrupted"));
    });
    const bar = progressBar(terminal, "entries");
    const reembedded = await run(config, terminal, stop.signal, ({ done, total }) => {
      bar.show(done, total);
    });
    bar.end();
    if (options.json) terminal.printJson(reembedded);
    else terminal.print(`${String(reembedded.done)} entries have vectors of ${reembedded.model}`);
    terminal.note(
      "start the servers with these same settings; until then they cannot search or store entries",
    );
  });
}

async function run(
  config: Config,
  terminal: Terminal,
  signal: AbortSignal,
  onProgress: (progress: ReembeddingProgress) => void,
): Promise<ReembeddingProgress & { readonly model: string }> {
  // Imported here, so that client commands start without a server's modules.
  const { reembedStore } = await import("../../app/reembed.js");
  const { tellOfEmbedding } = await import("../serve/embedding-note.js");
  tellOfEmbedding(config, terminal);
  try {
    return await reembedStore(config, {
      signal,
      onProgress,
      onRefused: (entryId) => {
        terminal.note(`the provider refuses the text of ${entryId}, which gets a vector of zeros`);
      },
      onUnreadable: (entryId) => {
        terminal.note(
          `the entry ${entryId} cannot be read and gets no vector: no search finds it. Restore it from a backup and run this command again, or delete its session (steward memory delete --session)`,
        );
      },
    });
  } catch (error) {
    if (signal.aborted) throw stoppedEarly("Interrupted before every entry had a vector");
    throw reembedError(error);
  }
}

function reembedError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  switch (error.code) {
    case "INVALID_ARGUMENT":
      return usageError(error.message, "`steward config` shows the settings in force");
    case "EMBEDDING_FAILED":
      return stoppedEarly(error.message);
    case "STORE_UNAVAILABLE":
      return new CliError(error.message, {
        exitCode: EXIT.failed,
        code: error.code,
        fix: "stop the server of this store, if it is an SQLite one, and run this again",
        cause: error,
      });
    default:
      return error;
  }
}

/** The error for an interrupted run: the old vectors are still in use. */
function stoppedEarly(message: string): CliError {
  return new CliError(message, {
    exitCode: EXIT.failed,
    code: "NOT_FINISHED",
    fix: "run it again: it continues where it stopped, and servers use the old vectors until it is done",
  });
}
