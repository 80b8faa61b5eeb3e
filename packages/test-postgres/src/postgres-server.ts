import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KeeperAnswer, KeeperRequest, StopMode } from "./keeper-protocol.js";

export type { StopMode } from "./keeper-protocol.js";

const KEEPER = fileURLToPath(new URL("keeper.js", import.meta.url));

export interface PostgresServerOptions {
  /**
   * Server settings in addition to, or instead of, those that make tests fast; for example `{
   * fsync: "on" }`.
   */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A new PostgreSQL server on a free port of the loopback address. The server and its files are
 * removed when it is disposed, or when this process ends in any way.
 */
export class PostgresServer implements AsyncDisposable {
  readonly #keeper: ChildProcess;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #answers: AsyncIterator<string>;
  #url = "";

  private constructor(keeper: ChildProcess, answers: AsyncIterator<string>, settings = {}) {
    this.#keeper = keeper;
    this.#answers = answers;
    this.#settings = settings;
  }

  /** Creates a cluster, which takes a second or two, and starts it. */
  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const keeper = spawn(process.execPath, [KEEPER], {
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
    const server = new PostgresServer(keeper, answers, options.settings);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Connects as superuser to the database `postgres`; constant for the server's lifetime. */
  get url(): string {
    return this.#url;
  }

  /**
   * Starts the server again after a stop, with the same URL, and waits until it accepts
   * connections.
   */
  async start(): Promise<void> {
    const answer = await this.#ask({ do: "start", settings: this.#settings });
    if (answer.is !== "started") throw new Error("the keeper did not start the server");
    this.#url = `postgres://postgres:${answer.password}@127.0.0.1:${answer.port}/postgres`;
  }

  /** Stops the server and waits for its end; its data are kept. */
  async stop(mode: StopMode): Promise<void> {
    await this.#ask({ do: "stop", mode });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#keeper.once("exit", resolve));
    this.#keeper.stdin?.end();
    await exited;
  }

  async #ask(request: KeeperRequest): Promise<KeeperAnswer> {
    this.#keeper.stdin?.write(`${JSON.stringify(request)}\n`);
    const line = (await this.#answers.next()) as IteratorResult<string, undefined>;
    if (line.done === true) throw new Error("the keeper of the server has ended");
    const answer = JSON.parse(line.value) as KeeperAnswer;
    if (answer.is === "failed") throw new Error(`PostgreSQL: ${answer.message}`);
    return answer;
  }
}
