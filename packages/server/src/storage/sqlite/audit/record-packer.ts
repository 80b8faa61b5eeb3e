import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { number } from "../column-values.js";
import { WriteConflict, type Write } from "../commit-protocol.js";
import type { StatementCache } from "../connection.js";
import type { JoinedWriter } from "../joined-writer.js";
import { PACKED_VALUES_BYTES_MAX } from "./limits.js";
import {
  firstOf,
  BLOCK_RECORDS,
  packedEntries,
  type TileRecord,
  valuesByOrganization,
} from "./record-blocks.js";

/** Whether personal values are packed. The length alone is read of large ones. */
const IS_SMALL = `octet_length(personal_values) <= ${String(PACKED_VALUES_BYTES_MAX)}`;

/** Packs the records of full tiles into blocks, except large personal values. It is used in a thread of its own, which it may block. */
export class RecordPacker {
  readonly #writer: Pick<JoinedWriter, "commit">;
  readonly #db: StatementCache;

  constructor(writer: Pick<JoinedWriter, "commit">, db: StatementCache) {
    this.#writer = writer;
    this.#db = db;
  }

  /** Packs the oldest full tile whose records are not packed yet, if there is one. */
  async packNext(): Promise<void> {
    const last = this.#db.get("SELECT max(block_index) AS last FROM audit_blocks")?.["last"];
    const block = last === null || last === undefined ? 0 : number(last) + 1;
    const range = [firstOf(block), firstOf(block + 1)] as const;
    // A look at the last record is enough while the tile is not full.
    const isFull = this.#db.get("SELECT 1 FROM audit_entries WHERE record_index = ?", range[1] - 1);
    if (isFull === undefined) return;
    const records = this.#db.all<TileRecord>(
      `SELECT e.record_index, e.org_id, e.entry, v.salt, v.personal_values
       FROM audit_entries AS e LEFT JOIN audit_personal_values AS v
         ON v.record_index = e.record_index AND ${IS_SMALL}
       WHERE e.record_index >= ? AND e.record_index < ? ORDER BY e.record_index`,
      ...range,
    );
    if (records.length < BLOCK_RECORDS) return;
    try {
      await this.#writer.commit(blockWrites(block, range, records));
    } catch (error) {
      // Values were erased since they were read. They are packed without them the next time.
      if (!(error instanceof WriteConflict)) throw error;
    }
  }
}

function blockWrites(
  block: number,
  range: readonly [from: number, end: number],
  records: readonly TileRecord[],
): readonly Write[] {
  return [
    {
      sql: "INSERT INTO audit_blocks (block_index, org_id, entries) VALUES (?, ?, ?)",
      params: [block, NIL_ORG_ID, packedEntries(records)],
    },
    ...[...valuesByOrganization(block, records)].map(([orgId, values]) => ({
      sql: "INSERT INTO audit_personal_blocks (org_id, block_index, personal_values) VALUES (?, ?, ?)",
      params: [orgId, block, values],
    })),
    {
      sql: "DELETE FROM audit_entries WHERE record_index >= ? AND record_index < ?",
      params: range,
      expect: records.length,
    },
    {
      sql: `DELETE FROM audit_personal_values
        WHERE record_index >= ? AND record_index < ? AND ${IS_SMALL}`,
      params: range,
      expect: records.filter(({ personal_values: values }) => values !== null).length,
    },
  ];
}
