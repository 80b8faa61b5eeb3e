import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { AuditExportStore, ExportClaim } from "../../audit-export/ports.js";
import { integer, rowType } from "./row-type.js";
import { either, onPostgres, onSqlite, sql } from "./sql.js";
import { one, type SqlStore } from "./sql-store.js";

const POSITION = rowType<{ readonly nextIndex: number }>({ nextIndex: integer });

/**
 * The positions of the audit log's export. On PostgreSQL a lease leaves a sink to one server at a time; on SQLite one
 * process has all sinks for itself, also at once after another process that had them.
 */
export class SqlAuditExportStore implements AuditExportStore {
  readonly records: AuditExportStore["records"];
  readonly #db: SqlStore;

  /** @param records reads the log, which is packed on SQLite. */
  constructor(db: SqlStore, records: AuditExportStore["records"]) {
    this.#db = db;
    this.records = records;
  }

  async position(sink: string): Promise<number> {
    const query = sql`SELECT next_index FROM audit_export_positions
      WHERE org_id = ${NIL_ORG_ID} AND sink = ${sink}`;
    return (await this.#db.row(query, POSITION))?.nextIndex ?? 0;
  }

  async take(sink: string, { holder, from }: ExportClaim, leaseMs: number): Promise<boolean> {
    const taken = await this.#db.row(
      either({
        sqlite: sql`SELECT coalesce(max(next_index), 0) AS next_index FROM audit_export_positions
          WHERE org_id = ${NIL_ORG_ID} AND sink = ${sink}`,
        postgres: sql`INSERT INTO audit_export_positions AS p
            (org_id, sink, next_index, holder, lease_until_ms)
          VALUES (${NIL_ORG_ID}, ${sink}, 0, ${holder}, steward_now_ms() + ${leaseMs})
          ON CONFLICT (org_id, sink) DO UPDATE
            SET holder = excluded.holder, lease_until_ms = excluded.lease_until_ms
            WHERE p.next_index = ${from}
              AND (p.holder = ${holder} OR p.lease_until_ms < excluded.lease_until_ms - ${leaseMs})
          RETURNING next_index`,
      }),
      POSITION,
    );
    return taken?.nextIndex === from;
  }

  advance(sink: string, { holder, from }: ExportClaim, to: number): Promise<boolean> {
    return this.#db.write([
      onSqlite(sql`INSERT INTO audit_export_positions
          (org_id, sink, next_index, holder, lease_until_ms)
        VALUES (${NIL_ORG_ID}, ${sink}, 0, ${holder}, 0) ON CONFLICT DO NOTHING`),
      one(sql`UPDATE audit_export_positions SET next_index = ${to}
        WHERE org_id = ${NIL_ORG_ID} AND sink = ${sink} AND next_index = ${from}
          ${onPostgres(sql`AND holder = ${holder}`)}`),
    ]);
  }

  async release(sink: string, holder: string): Promise<void> {
    await this.#db.write([
      onPostgres(sql`UPDATE audit_export_positions SET lease_until_ms = 0
        WHERE org_id = ${NIL_ORG_ID} AND sink = ${sink} AND holder = ${holder}`),
    ]);
  }
}
