import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { residentMegabytes } from "./processes.js";

const FIRST_PORT = 18_080;
/** A request limit that no organization reaches. */
const ANY_NUMBER = 1_000_000;
const READY_MS_MAX = 15_000;
const ROOT = fileURLToPath(new URL("../../../packages/server/", import.meta.url));
const STEWARD = "bin/steward.js";
/** The program without its bundle. */
const MODULES = "dist/cli/main.js";

/** Options of a server beside the settings of every benchmark. */
export interface ServerOptions {
  /** The root of the checkout whose build runs; absent: this one. */
  readonly tree?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Runs the program from its compiled modules instead of from the bundle, in which nothing can be
   * replaced. A server that is compared with one that has a replaced part needs it too.
   */
  readonly fromModules?: {
    /** URL of a module that is loaded before the program, to replace parts of it. */
    readonly preload?: string;
  };
}

/** One `steward serve` under measurement. */
export class BenchServer {
  readonly #process: ChildProcess;
  /** host:port. */
  readonly address: string;

  private constructor(process: ChildProcess, address: string) {
    this.#process = process;
    this.address = address;
  }

  /**
   * @param dir directory of the agents' database and the server's own directory.
   * @param options additional settings, and what the program runs from.
   */
  static async start(
    dir: string,
    storeUrl: string,
    node: number,
    { tree, settings = {}, fromModules }: ServerOptions = {},
  ): Promise<BenchServer> {
    const port = FIRST_PORT + node;
    const dataDir = join(dir, `node-${String(node)}`);
    const started = performance.now();
    const preload = fromModules?.preload;
    const imports = preload === undefined ? [] : ["--import", preload];
    const root = tree === undefined ? ROOT : join(tree, "packages/server");
    const program = join(root, fromModules === undefined ? STEWARD : MODULES);
    const child = spawn(process.execPath, [...imports, program, "serve"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        SERVICE_PORT: String(port),
        SERVICE_DATA_DIR: dataDir,
        SERVICE_DATABASE_URL: storeUrl,
        SERVICE_DATA_SOURCES: `default=sqlite:${targetIn(dir)}`,
        SERVICE_LOG_LEVEL: "warn",
        SERVICE_ORG_REQUESTS_PER_SECOND: String(ANY_NUMBER),
        ...settings,
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const server = new BenchServer(child, `127.0.0.1:${String(port)}`);
    for (;;) {
      const ready = await fetch(`http://${server.address}/readyz`).catch(() => undefined);
      if (ready?.ok === true) break;
      if (performance.now() - started > READY_MS_MAX) throw new Error("the server is not ready");
      await delay(10);
    }
    const readyMs = Math.round(performance.now() - started);
    const idleMb = residentMegabytes(server.pid);
    process.stdout.write(`ready after ${String(readyMs)} ms, ${String(idleMb)} MB resident idle\n`);
    return server;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The metrics page. Each read resets the measurement of the loop's lag. */
  async metrics(): Promise<string> {
    return (await fetch(`http://${this.address}/metrics`)).text();
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await exited;
  }
}

/** Creates the database for the agents. */
export function createTarget(dir: string): void {
  const db = new DatabaseSync(targetIn(dir));
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL)",
  );
  const insert = db.prepare("INSERT INTO customers VALUES (?, ?, ?)");
  for (let id = 1; id <= 1000; id += 1) {
    insert.run(id, `Customer ${String(id)}`, `customer-${String(id)}@example.com`);
  }
  db.close();
}

function targetIn(dir: string): string {
  return join(dir, "target.db");
}
