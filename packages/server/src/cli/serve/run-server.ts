import type { App, AppOptions } from "../../app/app.js";
import type { StartConfig } from "../settings/settings-command.js";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import { AppError } from "@steward/kernel/errors.js";
import { usageError } from "../cli-error.js";
import type { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import { listenError } from "./listen-error.js";
import { onStopSignal } from "./stop-signal.js";
import type { Terminal } from "../terminal/terminal.js";

/** Time for closing a server beyond its drain, in ms. After this time the process exits. */
const CLOSE_GRACE_MS = 1000;

/**
 * Runs a server until Ctrl-C or SIGTERM, and drains it then. SIGHUP reloads certificates and keys.
 * @param announce called when the server listens.
 */
export async function runServer(
  config: StartConfig & Pick<AppOptions, "agentsOnlyRead">,
  terminal: Terminal,
  announce: (app: App) => void | Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  using _signals = onStopSignal(() => {
    stop.abort();
  });
  const app = await open(config);
  const reload = (): void => {
    app.reload();
  };
  // On a terminal, SIGHUP means that the terminal was closed, so the process must exit.
  if (!terminal.errorScreen.isTTY) process.on("SIGHUP", reload);
  await announce(app);
  await aborted(stop.signal);
  terminal.note(terminal.errorColors.dim("stopping; press Ctrl-C again to stop at once"));
  process.off("SIGHUP", reload);
  const late = setTimeout(() => {
    terminal.note("not everything finished in time; stopping anyway");
    process.exit(EXIT.failed);
  }, DRAIN_MS + CLOSE_GRACE_MS);
  await app[Symbol.asyncDispose]();
  clearTimeout(late);
}

async function open(config: Parameters<typeof runServer>[0]): Promise<App> {
  // Imported here, so that client commands start without a server's modules.
  const { openApp } = await import("../../app/app.js");
  try {
    return await openApp(config);
  } catch (error) {
    throw listenError(error, config) ?? settingsError(error) ?? error;
  }
}

/** The error for a valid setting that this installation cannot support. */
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
