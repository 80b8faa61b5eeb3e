import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { DatabaseSync } from "@photostructure/sqlite";
import { join } from "node:path";
import type { Engine } from "../scenario.js";

/** Direct access to the database that steps use. */
export interface DataSource extends AsyncDisposable {
  /** In the format of `SERVICE_DATA_SOURCES`. */
  readonly url: string;
  /** Runs statements. */
  exec(statements: string): Promise<void>;
  /** A query's rows, with numbers as numbers. */
  rows(query: string): Promise<readonly unknown[]>;
}

/** Creates an empty one. @param directory for its files; the caller removes it. */
export async function openDataSource(engine: Engine, directory: string): Promise<DataSource> {
  return engine === "SQLite"
    ? new SqliteDataSource(join(directory, "data.db"))
    : new PostgresDataSource(await freshDatabase());
}

class SqliteDataSource implements DataSource {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#open().close();
  }

  get url(): string {
    return `sqlite:${this.#path}`;
  }

  exec(statements: string): Promise<void> {
    using database = this.#open();
    database.exec(statements);
    return Promise.resolve();
  }

  rows(query: string): Promise<readonly unknown[]> {
    using database = this.#open();
    return Promise.resolve(database.prepare(query).all());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  /** Open only for one statement. */
  #open(): InstanceType<typeof DatabaseSync> {
    return new DatabaseSync(this.#path, { timeout: 5000 });
  }
}

class PostgresDataSource implements DataSource {
  readonly #database: TestDatabase;

  constructor(database: TestDatabase) {
    this.#database = database;
  }

  get url(): string {
    return this.#database.url;
  }

  async exec(statements: string): Promise<void> {
    await this.#database.query(statements);
  }

  async rows(query: string): Promise<readonly unknown[]> {
    const rows = await this.#database.query(`SELECT to_json(q) AS row FROM (${query}) AS q`);
    return rows.map((row): unknown => row["row"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}
