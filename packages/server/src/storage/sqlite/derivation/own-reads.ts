import { rowBytesOf } from "../column-values.js";
import { type SqliteRow, type SqliteValue, type StatementCache, read } from "../connection.js";
import type { CommittedReads } from "../reads/store-reads.js";

/** Reads of committed rows in a thread that may block: on its own connection, and without a time limit. */
export class OwnReads implements CommittedReads {
  readonly #db: StatementCache;

  constructor(db: StatementCache) {
    this.#db = db;
  }

  get<Row extends object = SqliteRow>(
    sql: string,
    ...params: readonly SqliteValue[]
  ): Row | undefined {
    return this.#db.get<Row>(sql, ...params);
  }

  all<Row extends object = SqliteRow>(
    _party: string,
    sql: string,
    ...params: readonly SqliteValue[]
  ): Promise<readonly Row[]> {
    return read(() => this.#db.all<Row>(sql, ...params));
  }

  page<Row extends object = SqliteRow>(
    _party: string,
    bytesMax: number,
    sql: string,
    ...params: readonly SqliteValue[]
  ): Promise<{ readonly rows: readonly Row[]; readonly isCut: boolean }> {
    return read(() => {
      const rows: Row[] = [];
      let bytesLeft = bytesMax;
      for (const row of this.#db.iterate<Row>(sql, ...params)) {
        bytesLeft -= rowBytesOf(Object.values(row) as SqliteValue[]);
        if (bytesLeft < 0 && rows.length > 0) return { rows, isCut: true };
        rows.push(row);
      }
      return { rows, isCut: false };
    });
  }
}
