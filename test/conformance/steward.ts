import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "../faults/server-process.js";
import type { Client, Identity, Wire } from "./client.js";
import { openDataSource, type DataSource } from "./data-source.js";
import { GrpcClient } from "./grpc-client.js";
import { RestClient } from "./rest-client.js";
import type { Engine } from "./scenario.js";

export type Settings = Readonly<Record<string, string | undefined>>;

/** A real server in a process of its own, with a store and a data source, and its clients. */
export class Steward implements AsyncDisposable {
  readonly directory: string;
  readonly server: ServerProcess;
  readonly #source: DataSource;
  readonly #clients: Disposable[] = [];
  #tables = 0;

  private constructor(directory: string, source: DataSource, server: ServerProcess) {
    this.directory = directory;
    this.#source = source;
    this.server = server;
  }

  /** @param settings Beside a database and a data source; `undefined` unsets one. */
  static async start(
    settings: Settings = {},
    args?: readonly string[],
    sourceEngine: Engine = "SQLite",
  ): Promise<Steward> {
    const directory = mkdtempSync(join(tmpdir(), "steward-conformance-"));
    const source = await openDataSource(sourceEngine, directory);
    const all: Settings = {
      SERVICE_DATA_DIR: directory,
      SERVICE_DATABASE_URL: `sqlite:${join(directory, "steward.db")}`,
      SERVICE_DATA_SOURCES: source.url,
      SERVICE_LOG_LEVEL: "warn",
      ...settings,
    };
    const server = await ServerProcess.start(onlySet(all), args);
    return new Steward(directory, source, server);
  }

  get url(): string {
    return this.server.url;
  }

  /** Where the data source is. */
  get dataSourceUrl(): string {
    return this.#source.url;
  }

  /** host:port. */
  get address(): string {
    return new URL(this.url).host;
  }

  /** A client of an organization that nobody else is of, unless said otherwise. */
  client(wire: Wire, identity: Identity = { "x-org-id": randomUUID() }): Client {
    if (wire === "rest") return new RestClient(this.url, identity);
    const client = GrpcClient.connect(this.address, identity);
    this.#clients.push(client);
    return client;
  }

  /** Runs statements on the data source, past the server. */
  sql(statements: string): Promise<void> {
    return this.#source.exec(statements);
  }

  /** Rows of the data source, read past the server. */
  rows(query: string): Promise<readonly unknown[]> {
    return this.#source.rows(query);
  }

  /** A name for a table that is nobody else's. @param columns Creates it, with these. */
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

function onlySet(settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
