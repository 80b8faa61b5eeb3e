import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { AuditRecord } from "../../../audit/ports.js";
import type { AuditExportStore, ExportClaim } from "../../../audit-export/ports.js";
import { auditRecordOfRow, type AuditRecordRow } from "../../audit-rows.js";
import { number } from "../column-values.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read, type SqliteRow } from "../connection.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";

/** The positions of the audit log's export in SQLite. One process has all sinks for itself. */
export class SqliteAuditExportStore implements AuditExportStore {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;

  constructor(writer: CommitWriter, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  position(sink: string): Promise<number> {
    return read(() => {
      const sql = "SELECT next_index FROM audit_export_positions WHERE org_id = ? AND sink = ?";
      return number(this.#db.get(sql, NIL_ORG_ID, sink)?.["next_index"] ?? 0);
    });
  }

  records(from: number, limit: number): Promise<readonly AuditRecord[]> {
    return readAll(
      this.#db,
      SYSTEM,
      recordOf,
      `SELECT r.record_index, r.org_id, r.entry, v.salt, v.personal_values
           FROM audit_records AS r LEFT JOIN audit_personal_values AS v USING (record_index)
           WHERE r.record_index >= ? ORDER BY r.record_index LIMIT ?`,
      from,
      BigInt(limit),
    );
  }

  async take(sink: string, { from }: ExportClaim): Promise<boolean> {
    return (await this.position(sink)) === from;
  }

  async advance(sink: string, { holder, from }: ExportClaim, to: number): Promise<boolean> {
    const insert = {
      sql: `INSERT INTO audit_export_positions (org_id, sink, next_index, holder, lease_until_ms)
            VALUES (?, ?, 0, ?, 0) ON CONFLICT DO NOTHING`,
      params: [NIL_ORG_ID, sink, holder],
    };
    const move = {
      sql: `UPDATE audit_export_positions SET next_index = ?, holder = ?
            WHERE org_id = ? AND sink = ? AND next_index = ?`,
      params: [to, holder, NIL_ORG_ID, sink, from],
      expect: 1,
    };
    try {
      await this.#writer.commit([insert, move]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  release(): Promise<void> {
    return Promise.resolve();
  }
}

function recordOf(row: SqliteRow): AuditRecord {
  // The statement names these columns.
  return auditRecordOfRow(row as unknown as AuditRecordRow);
}
