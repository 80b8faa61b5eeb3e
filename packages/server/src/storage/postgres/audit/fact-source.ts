import { assert } from "@steward/kernel/assert.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { TILE_WIDTH } from "../../../audit/index.js";
import type {
  AuditBatch,
  FactSource,
  NewAuditRecord,
  TreeAddition,
  TreeHead,
} from "../../../audit/ports.js";
import type { PlanRef } from "../../../plans/ports.js";
import { factOfRow, partialsOf } from "../../audit-rows.js";
import { byOrganization } from "../../by-organization.js";
import { kindsOf, packedRecords, packedValues } from "../../derivation/packed-block.js";
import type { Connection, Database } from "../database.js";
import { acknowledge } from "../tool-calls/unread-calls.js";
import { AUDIT_BLOCK_BYTES_MAX } from "./limits.js";
import { readChanges, type UnreadChanges } from "./unread-changes.js";

interface Taken {
  readonly parts: readonly UnreadChanges[];
  readonly outbox: readonly OutboxRow[];
}

interface OutboxRow {
  readonly org_id: string;
  readonly outbox_id: string;
  readonly fact: string;
}

/** Another node has appended first; the transaction is rolled back. */
class Overtaken extends Error {}

/**
 * Reads facts from a PostgreSQL store and appends their records to the tree. It is used in a thread of its
 * own, which is told the plans with changes. Every node reads the outbox. The row of the tree is locked
 * while a node appends.
 */
export class PostgresFactSource implements FactSource {
  readonly #db: Database;
  readonly #taken = new WeakMap<AuditBatch, Taken>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The next facts of the outbox and of these plans, at most `limit` of each.
   * @returns also the plans that may have more changes than were taken.
   */
  async take(
    limit: number,
    plans: readonly PlanRef[],
  ): Promise<{ readonly batch: AuditBatch; readonly left: readonly PlanRef[] }> {
    const outbox = await this.#db.query<OutboxRow>(
      "SELECT org_id, outbox_id, fact FROM audit_outbox ORDER BY at_ms, outbox_id LIMIT $1",
      [limit],
    );
    const { parts, left } = await this.#read(limit, plans);
    const batch = {
      facts: [...parts.flatMap((part) => part.facts), ...outbox.map(factOfRow)],
      isCut: left.length > 0 || outbox.length === limit,
    };
    this.#taken.set(batch, { parts, outbox });
    return { batch, left };
  }

  async head(): Promise<TreeHead> {
    const [tree] = await this.#db.query<{ readonly size: number }>(
      "SELECT size FROM audit_tree WHERE org_id = $1",
      [NIL_ORG_ID],
    );
    const { size = 0 } = tree ?? {};
    const tiles = await this.#db.query<TileRow>(
      `SELECT DISTINCT ON (level) level, tile_index, hashes FROM audit_tiles
       WHERE org_id = $1 ORDER BY level, tile_index DESC`,
      [NIL_ORG_ID],
    );
    const find = (level: number, index: number): Uint8Array | undefined =>
      tiles.find((tile) => tile.level === level && tile.tile_index === index)?.hashes;
    return { size, partials: partialsOf(size, TILE_WIDTH, find) };
  }

  async append(batch: AuditBatch, addition: TreeAddition): Promise<boolean> {
    const taken = this.#taken.get(batch);
    assert(taken !== undefined, "a batch is appended where it was taken");
    try {
      await this.#db.transaction(async (connection) => {
        await growTree(connection, addition);
        await insertAddition(connection, addition);
        // Steps of these plans wait from here on until the end of the transaction.
        await settle(connection, taken);
      });
      return true;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      return false;
    }
  }

  async #read(
    limit: number,
    plans: readonly PlanRef[],
  ): Promise<{ readonly parts: readonly UnreadChanges[]; readonly left: readonly PlanRef[] }> {
    const parts: UnreadChanges[] = [];
    const left: PlanRef[] = [];
    let count = 0;
    for (const [orgId, own] of byOrganization(plans, (ref) => ref.orgId)) {
      if (count >= limit) {
        left.push(...own);
        continue;
      }
      const planIds = own.map(({ planId }) => planId);
      const read = await readChanges(this.#db, orgId, planIds, limit - count);
      parts.push(...read.parts);
      count += read.count;
      if (read.isCut) left.push(...own);
    }
    return { parts, left };
  }
}

interface TileRow {
  readonly level: number;
  readonly tile_index: number;
  readonly hashes: Uint8Array;
}

/** Locks the row of the tree until the end of the transaction. */
async function growTree(
  connection: Connection,
  { from, records, checkpoint }: TreeAddition,
): Promise<void> {
  const rows = await connection.query(
    `UPDATE audit_tree SET size = $2, checkpoint = $3 WHERE org_id = $4 AND size = $1
     RETURNING size`,
    [from, from + records.length, checkpoint, NIL_ORG_ID],
  );
  if (rows.length === 0) throw new Overtaken();
}

/** Moves the positions in plans' logs, and empties the outbox. */
async function settle(connection: Connection, { parts, outbox }: Taken): Promise<void> {
  const moved = await acknowledge(connection, "audit", parts);
  if (moved.size !== parts.length) throw new Overtaken();
  for (const [orgId, own] of byOrganization(outbox, (row) => row.org_id)) {
    const deleted = await connection.query(
      "DELETE FROM audit_outbox WHERE org_id = $1 AND outbox_id = ANY ($2::uuid[]) RETURNING outbox_id",
      [orgId, own.map((row) => row.outbox_id)],
    );
    if (deleted.length !== own.length) throw new Overtaken();
  }
}

async function insertAddition(
  connection: Connection,
  { from, records, tiles }: TreeAddition,
): Promise<void> {
  const placed = records.map((record, at) => ({ ...record, index: from + at }));
  for (const part of partsOf(placed)) {
    const first = part[0]?.index ?? from;
    for (const [orgId, own] of byOrganization(part, (record) => record.orgId)) {
      await insertBlock(connection, orgId, { first, records: own });
    }
  }
  await connection.query(
    `INSERT INTO audit_tiles (org_id, level, tile_index, hashes)
     SELECT $1::uuid, level, index, hashes
     FROM unnest($2::integer[], $3::bigint[], $4::bytea[]) AS t (level, index, hashes)
     ON CONFLICT (org_id, level, tile_index) DO UPDATE SET hashes = excluded.hashes`,
    [
      NIL_ORG_ID,
      tiles.map(({ level }) => level),
      tiles.map(({ index }) => index),
      tiles.map(({ hashes }) => hashes),
    ],
  );
}

type PlacedRecord = NewAuditRecord & { readonly index: number };

/**
 * Cuts a batch into parts of at most {@link AUDIT_BLOCK_BYTES_MAX} or one record. The blocks of all organizations
 * begin at the same records, so that `blocksBetween` finds them by where they begin.
 */
function partsOf(records: readonly PlacedRecord[]): readonly (readonly PlacedRecord[])[] {
  const parts: PlacedRecord[][] = [];
  let bytesLeft = 0;
  for (const record of records) {
    const bytes = record.entry.length + (record.personal?.json.length ?? 0);
    bytesLeft -= bytes;
    const last = parts.at(-1);
    if (last !== undefined && bytesLeft >= 0) last.push(record);
    else {
      parts.push([record]);
      bytesLeft = AUDIT_BLOCK_BYTES_MAX - bytes;
    }
  }
  return parts;
}

/** The records that a part of a batch has of one organization. */
interface NewBlock {
  /** The index of the part's first record. */
  readonly first: number;
  readonly records: readonly PlacedRecord[];
}

async function insertBlock(
  connection: Connection,
  orgId: string,
  { first, records }: NewBlock,
): Promise<void> {
  const times = records.map(({ atMs }) => atMs);
  const personal = records.flatMap(({ index, personal: own }) =>
    own === undefined ? [] : [{ index, ...own }],
  );
  await connection.query(
    `INSERT INTO audit_blocks
       (org_id, batch_index, from_ms, until_ms, kinds, records, personal_values)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[orgId, first, Math.min(...times), Math.max(...times)],
      kindsOf(records.map(({ kind }) => kind)),
      packedRecords(first, records),
      personal.length === 0 ? null : packedValues(first, personal),
    ],
  );
  await connection.query(
    `INSERT INTO audit_subjects (org_id, subject, batch_index)
     SELECT $1::uuid, subject, $2 FROM unnest($3::text[]) AS s (subject)`,
    [orgId, first, [...new Set(records.map(({ subject }) => subject))]],
  );
}
