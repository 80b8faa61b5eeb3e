import type { Readable } from "../cold/row-type.js";
import type { Sql, SqlValue } from "../cold/sql.js";
import type { ExpectingSql, SqlStore, WriteOptions } from "../cold/sql-store.js";
import type { Write } from "./commit-protocol.js";
import { WriteConflict, type CommitWriter } from "./commit-writer.js";
import { read, type SqliteRow } from "./connection.js";
import type { Query } from "./reads/read-calls.js";
import type { StoreReads } from "./reads/store-reads.js";

/** SQL on the store in SQLite: writes are units of the thread that writes. */
export class SqliteSqlStore implements SqlStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  row<R>(query: Sql, type: Readable<R>): Promise<R | undefined> {
    return read(() => {
      const { sql, params } = sqliteQuery(query);
      const row = this.#db.get(sql, ...params);
      return row === undefined ? undefined : type.read(row);
    });
  }

  async rows<R>(party: string, query: Sql, type: Readable<R>): Promise<readonly R[]> {
    return rowsOf(this.#db, party, query, type);
  }

  /** An outcome is never unknown here. */
  async write(
    unit: readonly (Sql | ExpectingSql)[],
    { operation }: WriteOptions = {},
  ): Promise<boolean> {
    const writes = unit.map(writeOf).filter(({ sql }) => sql !== "");
    if (writes.length === 0) return true;
    try {
      await this.#writer.commitEffect(writes, operation);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}

/** The rows of a query, also in another thread. */
export async function rowsOf<R>(
  db: Pick<StoreReads, "all">,
  party: string,
  query: Sql,
  type: Readable<R>,
): Promise<readonly R[]> {
  const { sql, params } = sqliteQuery(query);
  const rows: readonly SqliteRow[] = await db.all(party, sql, ...params);
  return rows.map(type.read);
}

/** A statement for a unit of the thread that writes. */
export function writeOf(each: Sql | ExpectingSql): Write {
  return "statement" in each
    ? { ...sqliteQuery(each.statement), expect: each.expect }
    : sqliteQuery(each);
}

function sqliteQuery(statement: Sql): Query {
  const values: SqlValue[] = [];
  const sql = statement.textIn("sqlite", values);
  return { sql, params: values.map((value) => value ?? null) };
}
