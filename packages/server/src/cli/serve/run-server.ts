import { setTimeout as sleep } from "node:timers/promises";
import type { App, AppOptions } from "../../app/app.js";
import type { StartConfig } from "../settings/settings-command.js";
import type { Config } from "../../config/index.js";
import type { Log } from "@steward/kernel/log.js";
import { DRAIN_ANSWER_MS, DRAIN_MS } from "@steward/kernel/limits.js";
import { AppError } from "@steward/kernel/errors.js";
import { usageError } from "../cli-error.js";
import type { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import { notStartable } from "../not-startable.js";
import { onStopSignal } from "./stop-signal.js";
import { tellOfFindings } from "./start-warnings.js";
import type { Terminal } from "../terminal/terminal.js";

/** Time for closing a server beyond its drain, in ms. After this time the process exits. */
const CLOSE_GRACE_MS = DRAIN_ANSWER_MS + 3_000;

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
  const log = await startLog(config);
  await assertStartable(config, { log, terminal });
  const app = await open({ ...config, log });
  const reload = (): void => {
    app.reload();
  };
  // On a terminal, SIGHUP means that the terminal was closed, so the process must exit.
  if (!terminal.errorScreen.isTTY) process.on("SIGHUP", reload);
  await announce(app);
  const services = tellOfServices(config, { log, terminal });
  await aborted(stop.signal);
  terminal.note(terminal.errorColors.dim("stopping; press Ctrl-C again to stop at once"));
  process.off("SIGHUP", reload);
  app.announceStop();
  await sleep(config.stopDelayMs);
  const late = setTimeout(() => {
    terminal.note("not everything finished in time; stopping anyway");
    process.exit(EXIT.failed);
  }, DRAIN_MS + CLOSE_GRACE_MS);
  await Promise.all([app[Symbol.asyncDispose](), services]);
  clearTimeout(late);
}

/** Who is told of what the checks of the start find. */
type Listener = Parameters<typeof tellOfFindings>[1];

async function startLog({ logLevel }: Config): Promise<Log> {
  const { pinoLog } = await import("../../adapters/log-pino/index.js");
  return pinoLog(logLevel);
}

/**
 * Refuses what `steward doctor` fails.
 * @throws CliError with everything that stops a start.
 */
async function assertStartable(config: Config, listener: Listener): Promise<void> {
  const { checkStart } = await import("../../app/start-checks/index.js");
  const findings = await checkStart(config);
  tellOfFindings(
    findings.filter(({ status }) => status === "warn"),
    listener,
  );
  const failed = findings.filter(({ status }) => status === "fail");
  if (failed.length > 0) throw notStartable(failed);
}

/** Tells of services of others that are away or wrong, while the server already takes requests. */
async function tellOfServices(config: Config, listener: Listener): Promise<void> {
  const { checkServices } = await import("../../app/start-checks/index.js");
  const findings = await checkServices(config);
  tellOfFindings(
    findings.filter(({ status }) => status !== "ok"),
    listener,
  );
}

async function open(
  config: Parameters<typeof runServer>[0] & Pick<AppOptions, "log">,
): Promise<App> {
  // Imported here, so that client commands start without a server's modules.
  const { openApp } = await import("../../app/app.js");
  try {
    return await openApp(config);
  } catch (error) {
    const { listenError } = await import("./listen-error.js");
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
