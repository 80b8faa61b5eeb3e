import type { CopiedRow, CopiedTable } from "../copied-table.js";
import { addBlockFunctions } from "./audit/copied-records.js";
import { openConnection, StatementCache } from "./connection.js";
import { refuseOthers, schemaVersion } from "./migrate.js";
import { lockStore } from "./owner-lock.js";
import { number } from "./column-values.js";

/** Reads all rows of a store whose server is stopped. */
export interface SqliteExport extends Disposable {
  rowCount(table: CopiedTable): number;
  rows(table: CopiedTable): Iterable<CopiedRow>;
}

/** @throws AppError `STORE_UNAVAILABLE` when a server owns the store, or another version of steward wrote it. */
export function openSqliteExport(path: string): SqliteExport {
  const lock = lockStore(path);
  const connection = openConnection(path, true);
  refuseOthers(schemaVersion(connection));
  addBlockFunctions(connection);
  const db = new StatementCache(connection);
  return {
    rowCount: ({ name, sqliteFrom = name }) =>
      number(db.get(`SELECT count(*) AS n FROM ${sqliteFrom}`)?.["n"]),
    *rows({ name, columns, sqliteFrom = name }) {
      const values = columns.map(({ name: column, type, sqlite = column }) =>
        type === "bytea"
          ? `CASE WHEN ${sqlite} IS NOT NULL THEN lower(hex(${sqlite})) END`
          : `CAST(${sqlite} AS TEXT)`,
      );
      const sql = `SELECT ${values.map((value, index) => `${value} AS c${index}`).join(", ")}
        FROM ${sqliteFrom}`;
      for (const row of connection.prepare(sql).iterate()) {
        yield Object.values(row as Record<string, string | null>);
      }
    },
    [Symbol.dispose]() {
      connection.close();
      lock[Symbol.dispose]();
    },
  };
}
