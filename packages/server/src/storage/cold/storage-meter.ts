import { MEASURED_ROWS_MAX } from "../../usage/limits.js";
import type { MeteredPage, MeterPlace, StorageMeter } from "../../usage/ports.js";
import {
  METERED_TABLES,
  meteredPage,
  meteredTable,
  type MeteredTable,
  sizeOf,
} from "../metered-tables.js";
import { joined, raw, sql, typed, type SqlValue } from "./sql.js";
import type { Readable } from "./row-type.js";
import type { SqlStore } from "./sql-store.js";

type MeteredRow = Readonly<Record<string, unknown>> & { readonly bytes: number };
// The statement selects the bytes.
const METERED: Readable<MeteredRow> = { read: (row) => row as MeteredRow };

/** Measures what organizations store. */
export class SqlStorageMeter implements StorageMeter {
  readonly #db: SqlStore;
  readonly #tables: readonly MeteredTable[];

  /** @param tables those that only this engine has. */
  constructor(db: SqlStore, tables: readonly MeteredTable[]) {
    this.#db = db;
    this.#tables = [...METERED_TABLES, ...tables];
  }

  async page(orgId: string, from: MeterPlace): Promise<MeteredPage> {
    const table = meteredTable(this.#tables, from.table);
    const key = raw(Object.keys(table.key).join(", "));
    // The key is a row's own, as this method has returned it.
    const place = (from.after ?? []) as readonly SqlValue[];
    const types = Object.values(table.key);
    const values = place.map((value, index) => typed(value, types[index] ?? "text"));
    const after = place.length === 0 ? raw("") : sql`AND (${key}) > (${joined(values, ", ")})`;
    const rows = await this.#db.rows(
      orgId,
      sql`SELECT ${key}, ${raw(sizeOf(table))} AS bytes FROM ${raw(table.name)}
        WHERE org_id = ${orgId} ${after} ORDER BY ${key} LIMIT ${MEASURED_ROWS_MAX}`,
      METERED,
    );
    return meteredPage(this.#tables, from, rows, MEASURED_ROWS_MAX);
  }
}
