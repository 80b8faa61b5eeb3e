import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Path of the command line program. */
export const STEWARD: string = fileURLToPath(
  new URL("../../../packages/server/bin/steward.js", import.meta.url),
);
/** Time limit of a start, in ms. */
const START_MS_MAX = 60_000;

/**
 * Flags of V8 for a server that lives for seconds: its WebAssembly is compiled once and not optimized, which saves a
 * quarter of the processor time of a start.
 */
const SHORT_LIVED: readonly string[] = ["--liftoff-only"];

export interface ServerProcessOptions {
  /** Of the command line; `serve` unless given. */
  readonly args?: readonly string[];
  /** Whether it is stopped or killed within seconds. */
  readonly isShortLived?: boolean;
}

/** A real server in its own process, which can be killed and restarted. */
export class ServerProcess implements AsyncDisposable {
  readonly url: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #stderr = "";

  private constructor(
    port: number,
    env: Readonly<Record<string, string>>,
    { args = ["serve"], isShortLived = false }: ServerProcessOptions,
  ) {
    this.#args = [...(isShortLived ? SHORT_LIVED : []), STEWARD, ...args];
    this.url = `http://127.0.0.1:${String(port)}`;
    this.#env = { ...env, SERVICE_PORT: String(port) };
  }

  /** Starts `steward serve`, or another command, on a free port with these settings. */
  static async start(
    env: Readonly<Record<string, string>>,
    options: ServerProcessOptions = {},
  ): Promise<ServerProcess> {
    const server = new ServerProcess(await freePort(), env, options);
    await server.restart();
    return server;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error("the server is not running");
    return pid;
  }

  /** Starts the server again, with the same settings, and waits until it is ready. */
  async restart(): Promise<void> {
    this.#stderr = "";
    const child = spawn(process.execPath, this.#args, {
      env: { PATH: process.env["PATH"] ?? "", ...this.#env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-10_000);
    });
    this.#process = child;
    const giveUpAt = performance.now() + START_MS_MAX;
    await announcedOrEnded(child);
    while (performance.now() < giveUpAt && child.exitCode === null) {
      const ready = await fetch(`${this.url}/readyz`).catch(() => undefined);
      await ready?.body?.cancel();
      if (ready?.ok === true) return;
      await delay(10);
    }
    throw new Error(`the server did not become ready:\n${this.#stderr}`);
  }

  /** Kills the process immediately. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks the process to shut down, and waits for it. @returns its exit code. */
  async stop(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await exited;
    return child.exitCode;
  }
}

/**
 * Waits until the program says that it is ready, or has ended, or the time for a start is over. Requests before
 * that would only take processor time from the start.
 */
async function announcedOrEnded(
  child: ChildProcessByStdio<null, Readable, Readable>,
): Promise<void> {
  const timeLimit = AbortSignal.timeout(START_MS_MAX);
  let text = "";
  const announced = new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-10_000);
      if (text.includes("is ready")) resolve();
    });
  });
  const ended = once(child, "exit", { signal: timeLimit }).catch(() => undefined);
  await Promise.race([announced, ended]);
}

/** A free TCP port of the loopback address. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port to be had");
  return address.port;
}
