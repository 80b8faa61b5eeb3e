import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { ServerProcess } from "../faults/server-process.js";

/**
 * A server in its own process, so that its memory can be measured, with a data source on SQLite
 * that has the table `filled`.
 */
export class Target implements AsyncDisposable {
  readonly server: ServerProcess;
  readonly #directory: string;

  private constructor(server: ServerProcess, directory: string) {
    this.server = server;
    this.#directory = directory;
  }

  static async start(): Promise<Target> {
    const directory = mkdtempSync(join(tmpdir(), "steward-hostile-"));
    writeFileSync(join(directory, "turns.log"), "");
    const source = new DatabaseSync(join(directory, "shop.db"));
    source.exec("CREATE TABLE filled (n INTEGER, x BLOB)");
    source.close();
    const server = await ServerProcess.start({
      SERVICE_DATA_DIR: directory,
      SERVICE_DATABASE_URL: `sqlite:${join(directory, "steward.db")}`,
      SERVICE_DATA_SOURCES: `shop=sqlite:${join(directory, "shop.db")}`,
      SERVICE_LOG_LEVEL: "error",
      NODE_OPTIONS: `--import ${new URL("./turn-monitor.js", import.meta.url).href}`,
      TURN_LOG: join(directory, "turns.log"),
    });
    return new Target(server, directory);
  }

  get url(): string {
    return this.server.url;
  }

  /** The processor time of the longest turns of the event loop since the last call, longest first, in ms. */
  longestTurnsMs(): readonly number[] {
    const path = join(this.#directory, "turns.log");
    const turns = readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number);
    writeFileSync(path, "");
    return turns.toSorted((a, b) => b - a).slice(0, 5);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop();
    rmSync(this.#directory, { recursive: true });
  }
}
