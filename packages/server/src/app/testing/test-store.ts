import { join } from "node:path";
import { storeDatabase } from "../../storage/postgres/testing/store-database.js";
import { openConnection } from "../../storage/sqlite/connection.js";

/** The database of a server's store, with a way to look into it and to change it beside the server. */
export interface TestStore extends AsyncDisposable {
  /** As in `SERVICE_DATABASE_URL`. */
  readonly url: string;
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A store in a file of the directory. */
export function sqliteTestStore(directory: string): Promise<TestStore> {
  const path = join(directory, "store.db");
  return Promise.resolve({
    url: `sqlite:${path}`,
    query: (sql) => {
      using db = openConnection(path, false);
      return Promise.resolve(db.prepare(sql).all());
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

/** A store in a database of its own. */
export function postgresTestStore(): Promise<TestStore> {
  return storeDatabase();
}
