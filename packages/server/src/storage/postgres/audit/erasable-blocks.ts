import type { ErasedValues } from "../../../audit/ports.js";
import { ERASABLE_BLOCKS_AT_ONCE } from "../../derivation/limits.js";
import type { ErasableBlock, ErasableBlocks } from "../../derivation/packed-erasure.js";
import type { Database } from "../database.js";
import { BLOCK_COLUMNS, blockRecords, type BlockRow } from "./record-blocks.js";

/** The blocks whose personal values an erasure rewrites, in PostgreSQL. */
export class PostgresErasableBlocks implements ErasableBlocks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async after(
    orgId: string,
    { untilMs, subjects }: ErasedValues,
    number: number,
  ): Promise<readonly ErasableBlock[]> {
    const rows = await this.#db.query<BlockRow>(
      `SELECT ${BLOCK_COLUMNS} FROM audit_blocks AS b
       WHERE b.org_id = $1 AND b.batch_index > $2 AND b.personal_values IS NOT NULL
         AND b.from_ms <= $3 AND ($4::text[] IS NULL OR b.batch_index IN (
           SELECT s.batch_index FROM audit_subjects AS s
           WHERE s.org_id = $1 AND s.subject = ANY ($4::text[])))
       ORDER BY b.batch_index LIMIT $5`,
      [orgId, number, untilMs, subjects ?? null, ERASABLE_BLOCKS_AT_ONCE],
    );
    const blocks: ErasableBlock[] = [];
    for (const row of rows) {
      const records = await blockRecords(row);
      const about = records.filter(
        ({ atMs, subject }) => atMs <= untilMs && subjects?.includes(subject) !== false,
      );
      const place = { number: row.batch_index, first: row.batch_index };
      const values = row.personal_values ?? new Uint8Array();
      blocks.push({ ...place, values, about: new Set(about.map(({ index }) => index)) });
    }
    return blocks;
  }

  async replace(
    orgId: string,
    { number, values }: ErasableBlock,
    kept: Uint8Array | undefined,
  ): Promise<boolean> {
    const rows = await this.#db.query(
      `UPDATE audit_blocks SET personal_values = $4
       WHERE org_id = $1 AND batch_index = $2 AND personal_values = $3 RETURNING batch_index`,
      [orgId, number, values, kept ?? null],
    );
    return rows.length > 0;
  }
}
