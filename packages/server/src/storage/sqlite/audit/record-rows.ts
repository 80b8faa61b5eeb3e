import type { AuditRecord } from "../../../audit/ports.js";
import { auditRecordOfRow, type AuditRecordRow } from "../../audit-rows.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { EXPORTED_RECORDS_BYTES_MAX } from "./limits.js";

/** The entry of a record of `audit_records AS r`, which is in a block when it has no row in `audit_entries AS e`. */
export const ENTRY = "coalesce(e.entry, packed_entry(r.record_index))";

/** Whether the personal values can only be in a block. */
const IS_PACKED = "e.entry IS NULL AND v.salt IS NULL";

/**
 * The columns of {@link AuditRecordRow} and their tables, for {@link StoreReads}: the functions of
 * `PackedRecords` unpack in its threads what is in blocks.
 */
export const RECORD_ROWS: string = `r.record_index, r.org_id, ${ENTRY} AS entry,
    iif(${IS_PACKED}, packed_salt(r.org_id, r.record_index), v.salt) AS salt,
    iif(${IS_PACKED}, packed_values(r.org_id, r.record_index), v.personal_values) AS personal_values
  FROM audit_records AS r LEFT JOIN audit_entries AS e USING (record_index)
    LEFT JOIN audit_personal_values AS v USING (record_index)`;

/** The records of all organizations from an index on, in the order of the log; fewer when they are large. */
export async function recordsFrom(
  db: Pick<StoreReads, "page">,
  from: number,
  limit: number,
): Promise<readonly AuditRecord[]> {
  const { rows } = await db.page<AuditRecordRow>(
    SYSTEM,
    EXPORTED_RECORDS_BYTES_MAX,
    `SELECT ${RECORD_ROWS} WHERE r.record_index >= ? ORDER BY r.record_index LIMIT ?`,
    from,
    BigInt(limit),
  );
  return rows.map(auditRecordOfRow);
}
