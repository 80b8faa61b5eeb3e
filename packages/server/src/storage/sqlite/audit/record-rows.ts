import { assert } from "@steward/kernel/assert.js";
import type { AuditRecord } from "../../../audit/ports.js";
import { auditRecordOfRow, type AuditRecordRow } from "../../audit-rows.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { decompressed, valuesIn, type BlockValues } from "../../derivation/packed-block.js";
import { blockOf, BLOCK_RECORDS, entriesIn, firstOf } from "./record-blocks.js";

/** A record as the tables have it: without its entry and its values when these are in a block. */
export interface RecordRow extends Omit<AuditRecordRow, "entry"> {
  readonly entry: string | null;
}

/** The columns of {@link RecordRow} and their tables. */
export const RECORD_ROWS = `r.record_index, r.org_id, e.entry, v.salt, v.personal_values
  FROM audit_records AS r LEFT JOIN audit_entries AS e USING (record_index)
    LEFT JOIN audit_personal_values AS v USING (record_index)`;

/**
 * Reads the parts of records that are in blocks. An object is used for the rows of one answer, in their
 * order, and after they were read: a record that is packed meanwhile is found in its block.
 */
export class PackedRecords {
  readonly #db: Pick<StoreReads, "get">;
  /** The block that was read last, and its personal values by organization. */
  #block = -1;
  #entries: readonly Buffer[] = [];
  readonly #values = new Map<string, readonly BlockValues[]>();

  constructor(db: Pick<StoreReads, "get">) {
    this.#db = db;
  }

  /** The record of a row. */
  async record(row: RecordRow): Promise<AuditRecord> {
    const { record_index: index, org_id: orgId, entry } = row;
    if (entry !== null) return auditRecordOfRow({ ...row, entry });
    const packed = await this.entry(index);
    const own = (await this.#valuesOf(orgId)).find((values) => values.index === index);
    const personal = own === undefined ? {} : { salt: own.salt, personal_values: own.json };
    return auditRecordOfRow({ ...row, entry: packed, ...personal });
  }

  /** The entry of a record that is in a block. */
  async entry(index: number): Promise<string> {
    const block = blockOf(index);
    if (this.#block !== block) {
      const row = this.#db.get<{ readonly entries: Uint8Array }>(
        "SELECT entries FROM audit_blocks WHERE block_index = ?",
        block,
      );
      assert(row !== undefined, "a record without an entry is in a block");
      this.#entries = entriesIn(await decompressed(row.entries));
      this.#values.clear();
      this.#block = block;
    }
    return this.#entries[index % BLOCK_RECORDS]?.toString() ?? "";
  }

  /** The personal values of an organization in the block that was read last. */
  async #valuesOf(orgId: string): Promise<readonly BlockValues[]> {
    const known = this.#values.get(orgId);
    if (known !== undefined) return known;
    const row = this.#db.get<{ readonly personal_values: Uint8Array }>(
      "SELECT personal_values FROM audit_personal_blocks WHERE org_id = ? AND block_index = ?",
      orgId,
      this.#block,
    );
    const bytes = row && (await decompressed(row.personal_values));
    const values = bytes === undefined ? [] : valuesIn(firstOf(this.#block), bytes);
    this.#values.set(orgId, values);
    return values;
  }
}

/** The records of all organizations from an index on, in the order of the log. */
export async function recordsFrom(
  db: Pick<StoreReads, "all" | "get">,
  from: number,
  limit: number,
): Promise<readonly AuditRecord[]> {
  const rows = await db.all<RecordRow>(
    SYSTEM,
    `SELECT ${RECORD_ROWS} WHERE r.record_index >= ? ORDER BY r.record_index LIMIT ?`,
    from,
    BigInt(limit),
  );
  const packed = new PackedRecords(db);
  const records: AuditRecord[] = [];
  for (const row of rows) records.push(await packed.record(row));
  return records;
}
