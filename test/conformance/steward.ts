import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, openApp } from "@steward/server";
import { ServerProcess, type ServerProcessOptions } from "../faults/server-process.js";
import type { Client, Identity, Wire } from "./client.js";
import { openDataSource, type DataSource } from "./parties/data-source.js";
import { GrpcClient } from "./wires/grpc-client.js";
import { RestClient } from "./wires/rest-client.js";
import type { Engine } from "./scenario.js";

export type Settings = Readonly<Record<string, string | undefined>>;

/** A running server, in this process or another. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/** A real server with a store and a data source, and its clients. */
export class Steward<Server extends RunningServer = RunningServer> implements AsyncDisposable {
  readonly directory: string;
  readonly server: Server;
  readonly #source: DataSource;
  readonly #clients: Disposable[] = [];
  #tables = 0;

  private constructor(directory: string, source: DataSource, server: Server) {
    this.directory = directory;
    this.#source = source;
    this.server = server;
  }

  /**
   * Starts a server in this process, which is many times faster than a separate process.
   * @param settings In addition to a database and a data source; `undefined` unsets one.
   */
  static async start(settings: Settings = {}, source: Engine = "SQLite"): Promise<Steward> {
    return await Steward.#start(openServer, settings, source);
  }

  /**
   * Starts a server in a separate process, which can be stopped and restarted.
   * @param options with the engine of the data source, SQLite unless given; short-lived unless given.
   */
  static async startProcess(
    settings: Settings = {},
    { source = "SQLite", ...options }: ServerProcessOptions & { readonly source?: Engine } = {},
  ): Promise<Steward<ServerProcess>> {
    return await Steward.#start(
      (all) =>
        ServerProcess.start(
          { SERVICE_LOG_LEVEL: "warn", ...all },
          { isShortLived: true, ...options },
        ),
      settings,
      source,
    );
  }

  static async #start<Server extends RunningServer>(
    open: (settings: Readonly<Record<string, string>>) => Promise<Server>,
    settings: Settings,
    sourceEngine: Engine,
  ): Promise<Steward<Server>> {
    const directory = mkdtempSync(join(tmpdir(), "steward-conformance-"));
    const source = await openDataSource(sourceEngine, directory);
    const all: Settings = {
      SERVICE_DATA_DIR: directory,
      SERVICE_DATABASE_URL: `sqlite:${join(directory, "steward.db")}`,
      SERVICE_DATA_SOURCES: source.url,
      ...settings,
    };
    return new Steward(directory, source, await open(onlySet(all)));
  }

  get url(): string {
    return this.server.url;
  }

  /** URL of the data source. */
  get dataSourceUrl(): string {
    return this.#source.url;
  }

  /** host:port. */
  get address(): string {
    return new URL(this.url).host;
  }

  /** A client, by default of a new organization. */
  client(wire: Wire, identity: Identity = { "x-org-id": randomUUID() }): Client {
    if (wire === "rest") return new RestClient(this.url, identity);
    const client = GrpcClient.connect(this.address, identity);
    this.#clients.push(client);
    return client;
  }

  /** Runs statements directly on the data source. */
  sql(statements: string): Promise<void> {
    return this.#source.exec(statements);
  }

  /** Rows of the data source, read directly. */
  rows(query: string): Promise<readonly unknown[]> {
    return this.#source.rows(query);
  }

  /** A unique table name. @param columns If given, creates the table with these columns. */
  async table(columns?: string): Promise<string> {
    this.#tables += 1;
    const name = `t${this.#tables}_${randomUUID().slice(0, 8)}`;
    if (columns !== undefined) await this.sql(`CREATE TABLE ${name} (${columns})`);
    return name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
    await this.#source[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function openServer(env: Readonly<Record<string, string>>): Promise<RunningServer> {
  const app = await openApp(
    await loadConfig({ env: { SERVICE_LOG_LEVEL: "silent", ...env, SERVICE_PORT: "0" } }),
  );
  return {
    url: `http://127.0.0.1:${app.address.port}`,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

function onlySet(settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
