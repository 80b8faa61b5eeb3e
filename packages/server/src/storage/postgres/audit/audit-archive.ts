import { setImmediate as nextTurn } from "node:timers/promises";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { TileName } from "../../../audit/index.js";
import type {
  AuditArchive,
  AuditFilter,
  AuditPage,
  AuditRecord,
  ErasedValues,
  PageSize,
} from "../../../audit/ports.js";
import type { BlockRecord } from "../../derivation/packed-block.js";
import { PackedErasure } from "../../derivation/packed-erasure.js";
import type { Database, PgValue } from "../database.js";
import { PostgresErasableBlocks } from "./erasable-blocks.js";
import {
  BLOCK_COLUMNS,
  blockRecords,
  blocksBetween,
  type BlockRow,
  recordBytes,
  recordOf,
  storedRecords,
} from "./record-blocks.js";

/** Blocks that are read at once. */
const BLOCKS_AT_ONCE = 8;

/** Reads of the audit log in PostgreSQL. */
export class PostgresAuditArchive implements AuditArchive {
  readonly #db: Database;
  readonly #erasure: PackedErasure;

  constructor(db: Database) {
    this.#db = db;
    this.#erasure = new PackedErasure(new PostgresErasableBlocks(db));
  }

  async list(
    filter: AuditFilter,
    { limit, bytesMax }: PageSize,
    before: number = Number.MAX_SAFE_INTEGER,
  ): Promise<AuditPage> {
    const records: AuditRecord[] = [];
    let bytesLeft = bytesMax;
    for await (const block of this.#blocksBefore(filter, before)) {
      for (const found of (await storedRecords(block)).toReversed()) {
        if (found.index >= before || !isAsked(filter, found)) continue;
        bytesLeft -= recordBytes(found);
        if (bytesLeft < 0 && records.length > 0) return { records, isCut: true };
        records.push(recordOf(block, found));
        if (records.length === limit) return { records, isCut: false };
      }
      // Unpacking a block takes milliseconds, so others are served before the next one.
      await nextTurn();
    }
    return { records, isCut: false };
  }

  async record(orgId: string, index: number): Promise<AuditRecord | undefined> {
    const [block] = await this.#db.query<BlockRow>(
      `SELECT ${BLOCK_COLUMNS} FROM audit_blocks AS b WHERE b.org_id = $1 AND b.batch_index <= $2
       ORDER BY b.batch_index DESC LIMIT 1`,
      [orgId, index],
    );
    if (block === undefined) return undefined;
    const found = (await storedRecords(block)).find((each) => each.index === index);
    return found && recordOf(block, found);
  }

  async entries(from: number, count: number): Promise<readonly string[]> {
    const records: BlockRecord[] = [];
    for (const block of await blocksBetween(this.#db, from, from + count)) {
      records.push(...(await blockRecords(block)));
    }
    return records
      .filter(({ index }) => index >= from && index < from + count)
      .sort((a, b) => a.index - b.index)
      .map(({ entry }) => entry);
  }

  async tiles(names: readonly TileName[]): Promise<readonly Buffer[]> {
    const rows = await this.#db.query<{ readonly place: number; readonly hashes: Uint8Array }>(
      `SELECT w.place, t.hashes
       FROM unnest($2::integer[], $3::bigint[]) WITH ORDINALITY AS w (level, tile, place)
       JOIN audit_tiles AS t ON t.org_id = $1 AND t.level = w.level AND t.tile_index = w.tile`,
      [NIL_ORG_ID, names.map(({ level }) => Number(level)), names.map(({ index }) => index)],
    );
    const found = new Map(rows.map(({ place, hashes }) => [place, Buffer.from(hashes)]));
    return names.map((_name, at) => found.get(at + 1) ?? Buffer.alloc(0));
  }

  async checkpoint(): Promise<{ readonly size: number; readonly note: string }> {
    const [row] = await this.#db.query<{ readonly size: number; readonly note: string }>(
      "SELECT size, checkpoint AS note FROM audit_tree WHERE org_id = $1",
      [NIL_ORG_ID],
    );
    return row ?? { size: 0, note: "" };
  }

  erase(orgId: string, which: ErasedValues, limit: number): Promise<number> {
    return this.#erasure.erase(orgId, which, limit);
  }

  /** The blocks that may have records of a listing, newest first. */
  async *#blocksBefore(filter: AuditFilter, before: number): AsyncGenerator<BlockRow> {
    const { orgId, kind, subject, fromMs, untilMs } = filter;
    const values: PgValue[] = [orgId, before, BLOCKS_AT_ONCE];
    const bind = (value: PgValue): string => `$${String(values.push(value))}`;
    const conditions = ["b.org_id = $1", "b.batch_index < $2"];
    if (subject !== undefined) {
      conditions.push(`EXISTS (SELECT FROM audit_subjects AS s
        WHERE s.org_id = $1 AND s.subject = ${bind(subject)} AND s.batch_index = b.batch_index)`);
    }
    if (kind !== undefined) {
      const [whole, group] = [bind(` ${kind} `), bind(` ${kind}.`)];
      conditions.push(`(strpos(b.kinds, ${whole}) > 0 OR strpos(b.kinds, ${group}) > 0)`);
    }
    if (fromMs !== undefined) conditions.push(`b.until_ms >= ${bind(fromMs)}`);
    if (untilMs !== undefined) conditions.push(`b.from_ms < ${bind(untilMs)}`);
    for (;;) {
      const rows = await this.#db.query<BlockRow>(
        `SELECT ${BLOCK_COLUMNS} FROM audit_blocks AS b WHERE ${conditions.join(" AND ")}
         ORDER BY b.batch_index DESC LIMIT $3`,
        values,
      );
      yield* rows;
      if (rows.length < BLOCKS_AT_ONCE) return;
      values[1] = rows.at(-1)?.batch_index ?? 0;
    }
  }
}

function isAsked({ kind, subject, fromMs, untilMs }: AuditFilter, record: BlockRecord): boolean {
  return (
    (kind === undefined || record.kind === kind || record.kind.startsWith(`${kind}.`)) &&
    (subject === undefined || record.subject === subject) &&
    (fromMs === undefined || record.atMs >= fromMs) &&
    (untilMs === undefined || record.atMs < untilMs)
  );
}
