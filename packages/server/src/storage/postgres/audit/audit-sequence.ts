import { assert } from "@steward/kernel/assert.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { TILE_WIDTH } from "../../../audit/index.js";
import type {
  AuditBatch,
  AuditFact,
  AuditSequence,
  NewAuditRecord,
  TreeAddition,
  TreeHead,
} from "../../../audit/ports.js";
import type { PlanRef } from "../../../plans/ports.js";
import { factOfRow, partialsOf } from "../../audit-rows.js";
import { byOrganization } from "../by-organization.js";
import type { Connection, Database } from "../database.js";
import { acknowledge } from "../tool-calls/unread-calls.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";
import { addFacts } from "./outbox.js";
import { readChanges, type UnreadChanges } from "./unread-changes.js";

/** Maximum number of plans whose changes one statement reads. */
const PLANS_MAX = 256;

interface Taken {
  readonly refs: PlanRef[];
  readonly parts: UnreadChanges[];
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
 * The way of facts into the tree, in PostgreSQL. A node takes the changes of the plans that it has
 * written, and of dead nodes; the outbox is everybody's. The row of the tree is locked while a node
 * appends.
 */
export class PostgresAuditSequence implements AuditSequence {
  readonly #db: Database;
  readonly #unread: UnreadPlans;
  readonly #taken = new Map<AuditBatch, Taken>();

  constructor(db: Database, unread: UnreadPlans) {
    this.#db = db;
    this.#unread = unread;
  }

  async take(limit: number): Promise<AuditBatch> {
    for (const batch of [...this.#taken.keys()]) this.#release(batch);
    await this.#unread.begin();
    const outbox = await this.#db.query<OutboxRow>(
      "SELECT org_id, outbox_id, fact FROM audit_outbox ORDER BY at_ms, outbox_id LIMIT $1",
      [limit],
    );
    const taken: Taken = { refs: [], parts: [], outbox };
    try {
      const isCut = (await this.#read(taken, limit)) || outbox.length === limit;
      const facts = [...taken.parts.flatMap((part) => part.facts), ...outbox.map(factOfRow)];
      const batch = { facts, isCut };
      this.#taken.set(batch, taken);
      return batch;
    } catch (error) {
      for (const ref of taken.refs) this.#unread.add(ref);
      throw error;
    }
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
    assert(taken !== undefined, "a batch is appended once, where it was taken");
    try {
      await this.#db.transaction(async (connection) => {
        await growTree(connection, addition);
        await settle(connection, taken);
        await insertAddition(connection, addition);
      });
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      this.#release(batch);
      return false;
    }
    this.#taken.delete(batch);
    return true;
  }

  async add(facts: readonly AuditFact[]): Promise<void> {
    if (facts.length > 0) await this.#db.transaction((on) => addFacts(on, facts));
  }

  #release(batch: AuditBatch): void {
    for (const ref of this.#taken.get(batch)?.refs ?? []) this.#unread.add(ref);
    this.#taken.delete(batch);
  }

  /** @returns whether more changes may be waiting in these plans. */
  async #read(taken: Taken, limit: number): Promise<boolean> {
    for (let count = 0; count < limit;) {
      const refs = this.#unread.take(PLANS_MAX);
      const [first] = refs;
      if (first === undefined) return false;
      taken.refs.push(...refs);
      const planIds = refs.map(({ planId }) => planId);
      const read = await readChanges(this.#db, first.orgId, planIds, limit - count);
      taken.parts.push(...read.parts);
      count += read.count;
      if (!read.isCut) continue;
      for (const ref of refs) this.#unread.add(ref);
      return true;
    }
    return true;
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
  for (const [orgId, own] of byOrganization(placed, (record) => record.orgId)) {
    await insertRecords(connection, orgId, own);
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

async function insertRecords(
  connection: Connection,
  orgId: string,
  records: readonly (NewAuditRecord & { readonly index: number })[],
): Promise<void> {
  await connection.query(
    `INSERT INTO audit_records (org_id, record_index, at_ms, kind, subject, entry)
     SELECT $1::uuid, index, at, kind, subject, entry
     FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])
       AS r (index, at, kind, subject, entry)`,
    [
      orgId,
      records.map(({ index }) => index),
      records.map(({ atMs }) => atMs),
      records.map(({ kind }) => kind),
      records.map(({ subject }) => subject),
      records.map(({ entry }) => entry),
    ],
  );
  const personal = records.flatMap(({ index, personal: own }) =>
    own === undefined ? [] : [{ index, ...own }],
  );
  await connection.query(
    `INSERT INTO audit_personal_values (org_id, record_index, salt, personal_values)
     SELECT $1::uuid, index, salt, vals
     FROM unnest($2::bigint[], $3::text[], $4::text[]) AS v (index, salt, vals)`,
    [
      orgId,
      personal.map(({ index }) => index),
      personal.map(({ salt }) => salt),
      personal.map(({ values }) => JSON.stringify(values)),
    ],
  );
}
