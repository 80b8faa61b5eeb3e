import type { App } from "../app.js";
import type { Config } from "../config/index.js";
import { DRAIN_MS } from "../kernel/limits.js";
import { AppError } from "../kernel/errors.js";
import { usageError } from "./cli-error.js";
import type { CliError } from "./cli-error.js";
import { EXIT } from "./exit-code.js";
import { listenError } from "./listen-error.js";
import { onStopSignal } from "./stop-signal.js";
import type { Terminal } from "./terminal.js";

/** What a closing server may take beyond its drain before the process ends without it. */
const CLOSE_GRACE_MS = 1000;

/**
 * Runs a server until Ctrl-C or SIGTERM, then lets it finish what is under way. SIGHUP has certificates
 * and keys read anew.
 * @param announce called once it listens.
 */
export async function runServer(
  config: Config,
  terminal: Terminal,
  announce: (app: App) => void,
): Promise<void> {
  const stop = new AbortController();
  using _signals = onStopSignal(() => {
    stop.abort();
  });
  const app = await open(config);
  const reload = (): void => {
    app.reload();
  };
  // A terminal that is closed sends the same signal, and is meant to end the program.
  if (terminal.errorStream.isTTY !== true) process.on("SIGHUP", reload);
  announce(app);
  await aborted(stop.signal);
  terminal.note(terminal.errorColors.dim("stopping; once more to stop at once"));
  process.off("SIGHUP", reload);
  const late = setTimeout(() => {
    terminal.note("not everything finished in time; stopping anyway");
    process.exit(EXIT.failed);
  }, DRAIN_MS + CLOSE_GRACE_MS);
  await app[Symbol.asyncDispose]();
  clearTimeout(late);
}

async function open(config: Config): Promise<App> {
  // Loaded only here: a client command starts without a server's modules.
  const { openApp } = await import("../app.js");
  try {
    return await openApp(config);
  } catch (error) {
    throw listenError(error, config) ?? settingsError(error) ?? error;
  }
}

/** A setting that is right in itself, and that this version cannot serve. */
function settingsError(error: unknown): CliError | undefined {
  if (!(error instanceof AppError) || error.code !== "INVALID_ARGUMENT") return undefined;
  return usageError(error.message, "`steward config` shows the settings in force");
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
