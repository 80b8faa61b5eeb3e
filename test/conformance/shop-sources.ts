import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataSource, type DataSource } from "./parties/data-source.js";
import { Steward } from "./steward.js";

/** A data source of a server, which a scenario has for itself. */
export interface ShopSource {
  /** As steps name it. */
  readonly database: string;
  /** The server's. */
  readonly url: string;
  /** Runs statements directly on the data source. */
  sql(statements: string): Promise<void>;
  /** Rows of the data source, read directly. */
  rows(query: string): Promise<readonly unknown[]>;
}

/** A server with an empty data source on SQLite for each of several scenarios. */
export class ShopSources implements AsyncDisposable {
  readonly steward: Steward;
  readonly #directory: string;
  readonly #free: (readonly [string, DataSource])[];

  private constructor(
    steward: Steward,
    directory: string,
    sources: readonly (readonly [string, DataSource])[],
  ) {
    this.steward = steward;
    this.#directory = directory;
    this.#free = [...sources];
  }

  static async open(count: number): Promise<ShopSources> {
    const directory = mkdtempSync(join(tmpdir(), "steward-shops-"));
    const sources: (readonly [string, DataSource])[] = [];
    for (let number = 1; number <= count; number += 1) {
      const name = `shop${String(number)}`;
      mkdirSync(join(directory, name));
      sources.push([name, await openDataSource("SQLite", join(directory, name))]);
    }
    const urls = sources.map(([name, { url }]) => `${name}=${url}`);
    const steward = await Steward.start({ SERVICE_DATA_SOURCES: urls.join(",") });
    return new ShopSources(steward, directory, sources);
  }

  /** A data source that no scenario has had. */
  next(): ShopSource {
    const found = this.#free.shift();
    if (found === undefined) throw new Error("more scenarios than data sources");
    const [database, source] = found;
    return {
      ...{ database, url: this.steward.url },
      sql: (statements) => source.exec(statements),
      rows: (query) => source.rows(query),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.steward[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true });
  }
}
