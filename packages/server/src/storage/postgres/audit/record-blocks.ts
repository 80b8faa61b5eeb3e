import type { AuditRecord } from "../../../audit/ports.js";
import { auditRecordOfRow } from "../../audit-rows.js";
import {
  decompressed,
  recordsIn,
  valuesIn,
  type BlockRecord,
  type BlockValues,
} from "../../derivation/packed-block.js";
import type { Connection } from "../database.js";

/**
 * The records of the audit log in PostgreSQL. Those that a part of a batch appends for one organization are one
 * row, compressed: the write-ahead log has them once, with their likeness used, instead of a
 * row and three keys for each.
 */

/** A block as it is read. */
export interface BlockRow {
  readonly org_id: string;
  /** The index of the first record, of any organization, in the part of the batch that the block belongs to. */
  readonly batch_index: number;
  readonly records: Uint8Array;
  readonly personal_values: Uint8Array | null;
}

/** The columns of {@link BlockRow} of `audit_blocks AS b`. */
export const BLOCK_COLUMNS: string = "b.org_id, b.batch_index, b.records, b.personal_values";

/** A record that was read from a block. */
export interface StoredRecord extends BlockRecord {
  /** Absent when the record has none, or when they were erased. */
  readonly own: BlockValues | undefined;
}

/** The record with its personal values. */
export function recordOf({ org_id }: BlockRow, { index, entry, own }: StoredRecord): AuditRecord {
  return auditRecordOfRow({
    ...{ record_index: index, org_id, entry },
    ...{ salt: own?.salt ?? null, personal_values: own?.json ?? null },
  });
}

/** The size of a record's texts on a page. */
export function recordBytes({ entry, own }: StoredRecord): number {
  return entry.length + (own?.json.length ?? 0);
}

/** The records of a block without their personal values, in order. */
export async function blockRecords(row: BlockRow): Promise<readonly BlockRecord[]> {
  return recordsIn(row.batch_index, await decompressed(row.records));
}

/** The records of a block, in order. */
export async function storedRecords(row: BlockRow): Promise<readonly StoredRecord[]> {
  const { batch_index: first, personal_values: bytes } = row;
  const values = bytes === null ? [] : valuesIn(first, await decompressed(bytes));
  const personal = new Map(values.map((each) => [each.index, each]));
  return (await blockRecords(row)).map((each) => ({ ...each, own: personal.get(each.index) }));
}

/** The blocks of all organizations with records from one index up to another, which is exclusive. */
export function blocksBetween(
  connection: Connection,
  from: number,
  to: number,
): Promise<readonly BlockRow[]> {
  return connection.query<BlockRow>(
    `SELECT ${BLOCK_COLUMNS} FROM audit_blocks AS b
     WHERE b.batch_index < $2 AND b.batch_index >= (
       SELECT coalesce(max(batch_index), 0) FROM audit_blocks WHERE batch_index <= $1)`,
    [from, to],
  );
}

/** The records of all organizations from an index on, in the order of the log. */
export async function recordsFrom(
  db: Connection,
  from: number,
  limit: number,
): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (const block of await blocksBetween(db, from, from + limit)) {
    records.push(...(await storedRecords(block)).map((each) => recordOf(block, each)));
  }
  return records
    .filter(({ index }) => index >= from && index < from + limit)
    .sort((a, b) => a.index - b.index);
}
