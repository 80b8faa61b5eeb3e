import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { silentLog } from "@steward/kernel/log.js";
import { freshDatabase } from "@steward/test-postgres";
import pg from "pg";
import { openApp, type AppOptions } from "../app.js";

/** A server with the data sources `sqlite` and `postgres`. */
export interface TwoSources extends AsyncDisposable {
  readonly port: number;
  readonly baseUrl: string;
}

/**
 * Opens a server with a store of its own and two data sources that have the same tables.
 * @param schema.both is run on both engines, `schema.postgres` after it on PostgreSQL.
 * @param options beside the store and the data sources.
 */
export async function openTwoSources(
  schema: { readonly both: string; readonly postgres?: string },
  options: AppOptions = {},
): Promise<TwoSources> {
  const directory = mkdtempSync(join(tmpdir(), "steward-two-sources-"));
  const file = join(directory, "data.db");
  const sqlite = new DatabaseSync(file);
  sqlite.exec(schema.both);
  sqlite.close();
  const database = await freshDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(schema.both + (schema.postgres ?? ""));
  await owner.end();
  const app = await openApp({
    ...{ port: 0, log: silentLog, dataDir: directory },
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "sqlite", url: `sqlite:${file}` },
      { name: "postgres", url: database.url },
    ],
    ...options,
  });
  const { port } = app.address;
  return {
    ...{ port, baseUrl: `http://127.0.0.1:${String(port)}` },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    },
  };
}
