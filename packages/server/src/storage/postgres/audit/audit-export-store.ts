import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { AuditRecord } from "../../../audit/ports.js";
import type { AuditExportStore, ExportClaim } from "../../../audit-export/ports.js";
import { auditRecordOfRow, type AuditRecordRow } from "../../audit-rows.js";
import type { Database } from "../database.js";

/** The positions of the audit log's export in PostgreSQL. A lease leaves a sink to one server at a time. */
export class PostgresAuditExportStore implements AuditExportStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async position(sink: string): Promise<number> {
    const [row] = await this.#db.query<{ readonly next_index: number }>(
      "SELECT next_index FROM audit_export_positions WHERE org_id = $1 AND sink = $2",
      [NIL_ORG_ID, sink],
    );
    return row?.next_index ?? 0;
  }

  async records(from: number, limit: number): Promise<readonly AuditRecord[]> {
    const rows = await this.#db.query<AuditRecordRow>(
      `SELECT r.record_index, r.org_id, r.entry, v.salt, v.personal_values
       FROM audit_records AS r LEFT JOIN audit_personal_values AS v
         ON v.org_id = r.org_id AND v.record_index = r.record_index
       WHERE r.record_index >= $1 ORDER BY r.record_index LIMIT $2`,
      [from, limit],
    );
    return rows.map(auditRecordOfRow);
  }

  async take(sink: string, { holder, from }: ExportClaim, leaseMs: number): Promise<boolean> {
    const rows = await this.#db.query(
      `INSERT INTO audit_export_positions AS p (org_id, sink, next_index, holder, lease_until_ms)
       VALUES ($1, $2, 0, $3, steward_now_ms() + $5)
       ON CONFLICT (org_id, sink) DO UPDATE
         SET holder = excluded.holder, lease_until_ms = excluded.lease_until_ms
         WHERE p.next_index = $4 AND (p.holder = $3 OR p.lease_until_ms < steward_now_ms())
       RETURNING next_index`,
      [NIL_ORG_ID, sink, holder, from, leaseMs],
    );
    return rows.length > 0;
  }

  async advance(sink: string, { holder, from }: ExportClaim, to: number): Promise<boolean> {
    const rows = await this.#db.query(
      `UPDATE audit_export_positions SET next_index = $5
       WHERE org_id = $1 AND sink = $2 AND holder = $3 AND next_index = $4 RETURNING next_index`,
      [NIL_ORG_ID, sink, holder, from, to],
    );
    return rows.length > 0;
  }

  async release(sink: string, holder: string): Promise<void> {
    await this.#db.query(
      `UPDATE audit_export_positions SET lease_until_ms = 0
       WHERE org_id = $1 AND sink = $2 AND holder = $3`,
      [NIL_ORG_ID, sink, holder],
    );
  }
}
