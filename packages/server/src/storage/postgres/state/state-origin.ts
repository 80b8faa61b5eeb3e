import { randomInt } from "node:crypto";
import type { Hash } from "@steward/state";
import type {
  CollectionClaim,
  FetchedBlocks,
  MoveOutcome,
  Origin,
  OriginRefs,
  RefMove,
} from "@steward/state/ports";
import { OutcomeUnknown, type Database } from "../database.js";
import { settled } from "../settled.js";
import { inflated, packed } from "./state-blocks.js";

/** Size of an answer in bytes of compressed blocks, not counting the last block. */
const FETCHED_BYTES = 4 * 1024 * 1024;
/** The lease of a garbage collection, in ms. While it is valid, no other collection starts. */
const COLLECTION_LEASE_MS = 10 * 60 * 1000;
/** A store's version is random: one that was erased and began anew must not look unchanged. */
const VERSION_BOUND = 2 ** 48 - 1;
/** Organizations marked as due in one statement. */
const DUE_MAX = 10_000;

/**
 * Blocks and refs of the organizations, which several nodes share. Every statement names one
 * organization.
 */
export class PostgresOrigin implements Origin {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async refs(orgId: string, known?: OriginRefs): Promise<OriginRefs | undefined> {
    const [row] = await this.#db.query<{
      readonly version: number;
      readonly swept: number;
      readonly refs: Readonly<Record<string, Hash>> | null;
      readonly is_known: boolean;
    }>(
      `SELECT s.version, s.swept, s.version = $2 AS is_known,
         CASE WHEN s.version <> $2 THEN
           (SELECT jsonb_object_agg(r.name, encode(r.commit_hash, 'hex'))
            FROM state_refs AS r WHERE r.org_id = $1) END AS refs
       FROM state_stores AS s WHERE s.org_id = $1`,
      [orgId, known?.version ?? -1],
    );
    if (row === undefined) return undefined;
    const { version, swept } = row;
    if (known !== undefined && row.is_known) return { ...known, swept };
    const refs = Object.entries(row.refs ?? {}).map(([name, commit]) => ({ name, commit }));
    return { version, swept, refs };
  }

  async blocks(orgId: string, hashes: readonly Hash[]): Promise<FetchedBlocks> {
    const rows = await this.#db.query<{
      readonly hash: Buffer;
      readonly is_deflated: boolean;
      readonly bytes: Buffer | null;
    }>(
      `SELECT hash, is_deflated, CASE WHEN total - size < $3 THEN bytes END AS bytes
       FROM (SELECT hash, is_deflated, bytes, octet_length(bytes) AS size,
               sum(octet_length(bytes)) OVER (ORDER BY hash) AS total
             FROM state_blocks WHERE org_id = $1 AND hash = ANY ($2::bytea[])) AS b`,
      [orgId, hashes.map(bytesOf), FETCHED_BYTES],
    );
    const blocks = new Map<Hash, Uint8Array>();
    const rest: Hash[] = [];
    for (const row of rows) {
      const hash = hashOfRow(row);
      if (row.bytes === null) rest.push(hash);
      else blocks.set(hash, row.is_deflated ? inflated(row.bytes) : row.bytes);
    }
    return { blocks, rest };
  }

  async has(orgId: string, hashes: readonly Hash[]): Promise<ReadonlySet<Hash>> {
    const rows = await this.#db.query<{ readonly hash: Buffer }>(
      `SELECT hash FROM state_blocks WHERE org_id = $1 AND hash = ANY ($2::bytea[])`,
      [orgId, hashes.map(bytesOf)],
    );
    return new Set(rows.map(hashOfRow));
  }

  async send(orgId: string, blocks: ReadonlyMap<Hash, Uint8Array>): Promise<void> {
    await settled(() =>
      this.#db.query("SELECT steward_send_state_blocks($1, $2, $3, $4)", [
        orgId,
        ...packed(blocks),
      ]),
    );
  }

  async move(
    orgId: string,
    swept: number,
    moves: readonly RefMove[],
    blocks: ReadonlyMap<Hash, Uint8Array>,
  ): Promise<MoveOutcome> {
    const goals = goalsOf(moves);
    try {
      const [row] = await this.#db.query<{ readonly outcome: MoveOutcome }>(
        "SELECT steward_move_state_refs($1, $2, $3, $4, $5, $6, $7, $8) AS outcome",
        [
          orgId,
          swept,
          goals.map(({ name }) => name),
          goals.map(({ expected }) => (expected === undefined ? null : bytesOf(expected))),
          goals.map(({ next }) => (next === undefined ? null : bytesOf(next))),
          ...packed(blocks),
        ],
      );
      return row?.outcome ?? "unknown";
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      await this.#awaitMove(orgId).catch(() => undefined);
      return "unknown";
    }
  }

  /** Waits until no move is in progress, so that refs read afterwards include its result. */
  async #awaitMove(orgId: string): Promise<void> {
    await this.#db.query("SELECT 1 FROM state_stores WHERE org_id = $1 FOR UPDATE", [orgId]);
  }

  async due(intervalMs: number): Promise<readonly string[]> {
    const rows = await this.#db.query<{ readonly org_id: string }>(
      `SELECT org_id FROM state_stores
       WHERE collected_at_ms < steward_now_ms() - $1::bigint ORDER BY collected_at_ms LIMIT $2`,
      [intervalMs, DUE_MAX],
    );
    return rows.map((row) => row.org_id);
  }

  async claimCollection(orgId: string): Promise<CollectionClaim> {
    const [row] = await this.#db.query<{ readonly exists: boolean; readonly claimed: boolean }>(
      `WITH mine AS (
         UPDATE state_stores SET collecting_until_ms = steward_now_ms() + $2::bigint
         WHERE org_id = $1 AND collecting_until_ms < steward_now_ms() RETURNING org_id)
       SELECT EXISTS (SELECT FROM state_stores WHERE org_id = $1) AS exists,
         EXISTS (SELECT FROM mine) AS claimed`,
      [orgId, COLLECTION_LEASE_MS],
    );
    if (row?.exists !== true) return "none";
    return row.claimed ? "claimed" : "taken";
  }

  async endCollection(orgId: string, isDone: boolean): Promise<void> {
    await this.#db.query(
      `UPDATE state_stores SET collecting_until_ms = 0
         ${isDone ? ", collected_at_ms = steward_now_ms()" : ""} WHERE org_id = $1`,
      [orgId],
    );
  }

  async oldBlocks(
    orgId: string,
    graceMs: number,
    after: Hash | undefined,
    limit: number,
  ): Promise<readonly Hash[]> {
    const rows = await this.#db.query<{ readonly hash: Buffer }>(
      `SELECT hash FROM state_blocks
       WHERE org_id = $1 AND hash > $2 AND written_at_ms < steward_now_ms() - $3::bigint
       ORDER BY hash LIMIT $4`,
      [orgId, after === undefined ? Buffer.alloc(0) : bytesOf(after), graceMs, limit],
    );
    return rows.map(hashOfRow);
  }

  async sweep(
    orgId: string,
    version: number,
    graceMs: number,
    hashes: readonly Hash[],
  ): Promise<number | undefined> {
    const [row] = await this.#db.query<{ readonly deleted: number | null }>(
      "SELECT steward_sweep_state_blocks($1, $2, $3, $4, $5) AS deleted",
      [orgId, version, graceMs, COLLECTION_LEASE_MS, hashes.map(bytesOf)],
    );
    return row?.deleted ?? undefined;
  }

  /** The row's lock keeps moves waiting, which are then refused because blocks were deleted. */
  erase(orgId: string, atLeast: number): Promise<boolean> {
    return settled((isUnsure) =>
      this.#db.transaction(async (connection) => {
        const erased = await connection.query(
          `UPDATE state_stores SET swept = swept + $2::bigint, version = $3
           WHERE org_id = $1 RETURNING org_id`,
          [orgId, atLeast, randomInt(VERSION_BOUND)],
        );
        await connection.query("DELETE FROM state_refs WHERE org_id = $1", [orgId]);
        await connection.query("DELETE FROM state_blocks WHERE org_id = $1", [orgId]);
        return isUnsure || erased.length > 0;
      }),
    );
  }
}

/**
 * Combines the moves of each ref into one: from the first move's expected commit to the last move's
 * target.
 */
function goalsOf(moves: readonly RefMove[]): readonly RefMove[] {
  const goals = new Map<string, RefMove>();
  for (const move of moves) {
    const { expected } = goals.get(move.name) ?? move;
    goals.set(move.name, { ...move, expected });
  }
  return [...goals.values()];
}

function bytesOf(hash: Hash): Buffer {
  return Buffer.from(hash, "hex");
}

function hashOfRow({ hash }: { readonly hash: Buffer }): Hash {
  // A hash is written by bytesOf and read unchanged.
  return hash.toString("hex") as Hash;
}
