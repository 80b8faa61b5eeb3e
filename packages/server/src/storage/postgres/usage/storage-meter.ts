import { MEASURED_ROWS_MAX } from "../../../usage/limits.js";
import type { MeteredPage, MeterPlace, StorageMeter } from "../../../usage/ports.js";
import {
  METERED_TABLES,
  meteredPage,
  meteredTable,
  type MeteredTable,
  sizeOf,
} from "../../metered-tables.js";
import type { Database, PgValue } from "../database.js";

/** The state is in the same database. */
const TABLES: readonly MeteredTable[] = [
  ...METERED_TABLES,
  { name: "state_blocks", kind: "state", key: { hash: "bytea" }, sized: ["bytes"] },
];

/** Measures what organizations store on PostgreSQL. */
export class PostgresStorageMeter implements StorageMeter {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async page(orgId: string, from: MeterPlace): Promise<MeteredPage> {
    const table = meteredTable(TABLES, from.table);
    const key = Object.keys(table.key).join(", ");
    const values = Object.values(table.key).map((type, index) => `$${String(index + 3)}::${type}`);
    const after = from.after === undefined ? "" : `AND (${key}) > (${values.join(", ")})`;
    const rows = await this.#db.query<Record<string, unknown> & { readonly bytes: number }>(
      `SELECT ${key}, ${sizeOf(table)} AS bytes FROM ${table.name}
       WHERE org_id = $1 ${after} ORDER BY ${key} LIMIT $2`,
      // The key is a row's own, as this method has returned it.
      [orgId, MEASURED_ROWS_MAX, ...((from.after ?? []) as readonly PgValue[])],
    );
    return meteredPage(TABLES, from, rows, MEASURED_ROWS_MAX);
  }
}
