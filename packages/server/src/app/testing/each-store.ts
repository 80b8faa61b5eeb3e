import { afterAll } from "vitest";
import { storeDatabase } from "../../storage/postgres/testing/store-database.js";
import type { AppOptions } from "../app.js";

/** The engines of stores, with the options of a server on each; the tests of a file share the database. */
export async function eachStore(): Promise<readonly (readonly [engine: string, AppOptions])[]> {
  const postgres = await storeDatabase();
  afterAll(() => postgres[Symbol.asyncDispose]());
  return [
    ["SQLite", {}],
    ["PostgreSQL", { databaseUrl: postgres.url }],
  ];
}
