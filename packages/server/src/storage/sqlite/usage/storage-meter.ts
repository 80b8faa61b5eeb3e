import { MEASURED_ROWS_MAX } from "../../../usage/limits.js";
import type { MeteredPage, MeterPlace, StorageMeter } from "../../../usage/ports.js";
import { METERED_TABLES, meteredPage, meteredTable, sizeOf } from "../../metered-tables.js";
import type { SqliteValue } from "../connection.js";
import type { StoreReads } from "../reads/store-reads.js";

/** Measures what organizations store in SQLite. */
export class SqliteStorageMeter implements StorageMeter {
  readonly #db: StoreReads;

  constructor(db: StoreReads) {
    this.#db = db;
  }

  async page(orgId: string, from: MeterPlace): Promise<MeteredPage> {
    const table = meteredTable(METERED_TABLES, from.table);
    const columns = Object.keys(table.key);
    const key = columns.join(", ");
    const after =
      from.after === undefined ? "" : `AND (${key}) > (${columns.map(() => "?").join(", ")})`;
    const rows = await this.#db.all<Record<string, SqliteValue> & { readonly bytes: number }>(
      orgId,
      `SELECT ${key}, ${sizeOf(table)} AS bytes FROM ${table.name}
         WHERE org_id = ? ${after} ORDER BY ${key} LIMIT ?`,
      // The key is a row's own, as this method has returned it.
      ...[orgId, ...((from.after ?? []) as SqliteValue[]), BigInt(MEASURED_ROWS_MAX)],
    );
    return meteredPage(METERED_TABLES, from, rows, MEASURED_ROWS_MAX);
  }
}
