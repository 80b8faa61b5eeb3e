import { MEASURED_ROWS_MAX } from "../../../usage/limits.js";
import type { MeteredPage, MeterPlace, StorageMeter } from "../../../usage/ports.js";
import { METERED_TABLES, meteredPage, meteredTable, sizeOf } from "../../metered-tables.js";
import { read, type SqliteValue, type StatementCache } from "../connection.js";

/** Measures what organizations store in SQLite. */
export class SqliteStorageMeter implements StorageMeter {
  readonly #db: StatementCache;

  constructor(db: StatementCache) {
    this.#db = db;
  }

  page(orgId: string, from: MeterPlace): Promise<MeteredPage> {
    return read(() => {
      const table = meteredTable(METERED_TABLES, from.table);
      const columns = Object.keys(table.key);
      const key = columns.join(", ");
      const after =
        from.after === undefined ? "" : `AND (${key}) > (${columns.map(() => "?").join(", ")})`;
      const rows = this.#db.all<Record<string, SqliteValue> & { readonly bytes: number }>(
        `SELECT ${key}, ${sizeOf(table)} AS bytes FROM ${table.name}
         WHERE org_id = ? ${after} ORDER BY ${key} LIMIT ?`,
        // The key is a row's own, as this method has returned it.
        ...[orgId, ...((from.after ?? []) as SqliteValue[]), BigInt(MEASURED_ROWS_MAX)],
      );
      return meteredPage(METERED_TABLES, from, rows, MEASURED_ROWS_MAX);
    });
  }
}
