import type { ErasedValues } from "../../../audit/ports.js";
import { ERASABLE_BLOCKS_AT_ONCE } from "../../derivation/limits.js";
import type { ErasableBlock, ErasableBlocks } from "../../derivation/packed-erasure.js";
import { WriteConflict } from "../commit-protocol.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StoreReads } from "../reads/store-reads.js";
import { BLOCK_RECORDS, firstOf } from "./record-blocks.js";

/** A block with personal values of an organization. */
interface BlockRow {
  readonly block_index: number;
  readonly personal_values: Uint8Array;
  /** JSON of the indexes of its records for which the conditions hold. */
  readonly found: string;
}

/** The next blocks after one, with the records of which an erasure looks at the values. */
const BLOCKS = `SELECT b.block_index, b.personal_values,
    (SELECT json_group_array(r.record_index) FROM audit_records AS r
     WHERE r.org_id = ?1 AND r.record_index >= b.block_index * ${String(BLOCK_RECORDS)}
       AND r.record_index < (b.block_index + 1) * ${String(BLOCK_RECORDS)} AND r.at_ms <= ?3
       AND (?4 IS NULL OR r.subject IN (SELECT value FROM json_each(?4)))) AS found
  FROM audit_personal_blocks AS b
  WHERE b.org_id = ?1 AND b.block_index > ?2 AND (?4 IS NULL OR b.block_index IN (
    SELECT s.record_index / ${String(BLOCK_RECORDS)} FROM audit_records AS s
    WHERE s.org_id = ?1 AND s.subject IN (SELECT value FROM json_each(?4))))
  ORDER BY b.block_index LIMIT ?5`;

/** The blocks whose personal values an erasure rewrites, in SQLite. */
export class SqliteErasableBlocks implements ErasableBlocks {
  readonly #writer: Pick<CommitWriter, "commit">;
  readonly #db: StoreReads;

  constructor(writer: Pick<CommitWriter, "commit">, db: StoreReads) {
    this.#writer = writer;
    this.#db = db;
  }

  async after(
    orgId: string,
    { untilMs, subjects }: ErasedValues,
    number: number,
  ): Promise<readonly ErasableBlock[]> {
    const about = subjects === undefined ? null : JSON.stringify(subjects);
    const params = [orgId, number, untilMs, about, BigInt(ERASABLE_BLOCKS_AT_ONCE)] as const;
    const rows = await this.#db.all<BlockRow>(orgId, BLOCKS, ...params);
    return rows.map((row) => ({
      number: row.block_index,
      first: firstOf(row.block_index),
      values: row.personal_values,
      about: new Set(JSON.parse(row.found) as readonly number[]),
    }));
  }

  async replace(
    orgId: string,
    { number, values }: ErasableBlock,
    kept: Uint8Array | undefined,
  ): Promise<boolean> {
    const where = "WHERE org_id = ? AND block_index = ? AND personal_values = ?";
    const params = [orgId, number, values];
    const write =
      kept === undefined
        ? { sql: `DELETE FROM audit_personal_blocks ${where}`, params, expect: 1 }
        : {
            sql: `UPDATE audit_personal_blocks SET personal_values = ? ${where}`,
            params: [kept, ...params],
            expect: 1,
          };
    try {
      await this.#writer.commit([write]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}
