import { assert } from "@steward/kernel/assert.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { TILE_WIDTH } from "../../../audit/index.js";
import type { AuditBatch, FactSource, TreeAddition, TreeHead } from "../../../audit/ports.js";
import { factOfRow, factsOfChange, loggedChangeOf, partialsOf } from "../../audit-rows.js";
import type { LoggedChangeRow, OutboxFactRow } from "../../audit-rows.js";
import { number } from "../column-values.js";
import { WriteConflict, type Write } from "../commit-protocol.js";
import { DERIVED_BYTES_MAX } from "../derivation/limits.js";
import type { JoinedWriter } from "../joined-writer.js";
import { SYSTEM, type CommittedReads } from "../reads/store-reads.js";
import { insertRows } from "../row-list.js";
import type { PlanDefinitions } from "../tool-calls/plan-definitions.js";

/** The name of the audit log's position in the log of plans, in `tool_call_cursors`. */
export const AUDIT_CONSUMER = "audit";

/** What a batch moves: the position in the log of plans, and rows of the outbox. */
interface Taken {
  readonly from: number;
  readonly through: number;
  readonly outboxIds: readonly number[];
}

/** A row of a plan's log with its place in the log of all plans. */
interface PlacedChange extends LoggedChangeRow {
  readonly change: number;
}

/**
 * Reads facts from a SQLite store and appends their records to the tree. One cursor is enough, because one
 * process writes the log in order. It is used in a thread of its own, which it may block.
 */
export class SqliteFactSource implements FactSource {
  readonly #writer: Pick<JoinedWriter, "commit">;
  readonly #db: CommittedReads;
  readonly #definitions: PlanDefinitions;
  readonly #taken = new WeakMap<AuditBatch, Taken>();

  constructor(
    writer: Pick<JoinedWriter, "commit">,
    db: CommittedReads,
    definitions: PlanDefinitions,
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#definitions = definitions;
  }

  /** The next facts, at most `limit` of each source. */
  async take(limit: number): Promise<AuditBatch> {
    const from = this.#cursor();
    const { rows: changes, isCut } = await this.#changesAfter(from, limit);
    const waiting = await this.#db.all<OutboxFactRow & { readonly outbox_id: number }>(
      SYSTEM,
      "SELECT outbox_id, org_id, fact FROM audit_outbox ORDER BY outbox_id LIMIT ?",
      BigInt(limit),
    );
    const batch = {
      facts: [
        ...changes.flatMap((row) => factsOfChange(row, (each) => this.#changeOf(each))),
        ...waiting.map(factOfRow),
      ],
      isCut: isCut || changes.length === limit || waiting.length === limit,
    };
    const through = changes.at(-1)?.change ?? from;
    this.#taken.set(batch, { from, through, outboxIds: waiting.map((row) => row.outbox_id) });
    return batch;
  }

  head(): Promise<TreeHead> {
    const row = this.#db.get("SELECT size FROM audit_tree");
    const size = number(row?.["size"] ?? 0);
    const partials = partialsOf(size, TILE_WIDTH, (level, index) => {
      const sql =
        "SELECT hashes FROM audit_tiles WHERE org_id = ? AND level = ? AND tile_index = ?";
      return this.#db.get<{ readonly hashes: Uint8Array }>(sql, NIL_ORG_ID, level, index)?.hashes;
    });
    return Promise.resolve({ size, partials });
  }

  async append(batch: AuditBatch, addition: TreeAddition): Promise<boolean> {
    const taken = this.#taken.get(batch);
    assert(taken !== undefined, "a batch is appended where it was taken");
    try {
      await this.#writer.commit([...additionWrites(addition), ...takenWrites(taken)]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }

  #cursor(): number {
    const sql = "SELECT sequence FROM tool_call_cursors WHERE consumer = ?";
    return number(this.#db.get(sql, AUDIT_CONSUMER)?.["sequence"] ?? 0);
  }

  #changesAfter(
    change: number,
    limit: number,
  ): Promise<{ readonly rows: readonly PlacedChange[]; readonly isCut: boolean }> {
    return this.#db.page<PlacedChange>(
      SYSTEM,
      DERIVED_BYTES_MAX,
      `SELECT c.change, c.org_id, c.plan_id, p.session_id, c.sequence, c.events, c.origins, c.call
       FROM plan_changes AS c JOIN plans AS p USING (org_id, plan_id)
       WHERE c.change > ? ORDER BY c.change LIMIT ?`,
      change,
      BigInt(limit),
    );
  }

  #changeOf(row: LoggedChangeRow): ReturnType<typeof loggedChangeOf> {
    if (row.call === null && row.sequence > 1) return loggedChangeOf(row, [], undefined);
    const { steps, text } = this.#definitions.of(row.org_id, row.plan_id);
    return loggedChangeOf(row, steps, text);
  }
}

function additionWrites({ from, records, tiles, checkpoint }: TreeAddition): readonly Write[] {
  return [
    {
      sql: "UPDATE audit_tree SET size = ?, checkpoint = ? WHERE size = ?",
      params: [from + records.length, checkpoint, from],
      expect: 1,
    },
    insertRows(
      "audit_records",
      ["record_index", "org_id", "at_ms", "kind", "subject"],
      records.map(({ orgId, atMs, kind, subject }, at) => [from + at, orgId, atMs, kind, subject]),
    ),
    insertRows(
      "audit_entries",
      ["record_index", "org_id", "entry"],
      records.map(({ orgId, entry }, at) => [from + at, orgId, entry]),
    ),
    insertRows(
      "audit_personal_values",
      ["record_index", "org_id", "salt", "personal_values"],
      records.flatMap(({ orgId, personal }, at) =>
        personal === undefined ? [] : [[from + at, orgId, personal.salt, personal.json]],
      ),
    ),
    ...tiles.map(({ level, index, hashes }): Write => ({
      sql: `INSERT INTO audit_tiles (org_id, level, tile_index, hashes) VALUES (?, ?, ?, ?)
            ON CONFLICT (org_id, level, tile_index) DO UPDATE SET hashes = excluded.hashes`,
      params: [NIL_ORG_ID, level, index, hashes],
    })),
  ];
}

function takenWrites({ from, through, outboxIds }: Taken): readonly Write[] {
  return [
    ...(through === from
      ? []
      : [
          {
            sql: `INSERT INTO tool_call_cursors (consumer, sequence) VALUES (?1, ?3)
                  ON CONFLICT (consumer) DO UPDATE SET sequence = excluded.sequence WHERE sequence = ?2`,
            params: [AUDIT_CONSUMER, from, through],
            expect: 1,
          },
        ]),
    ...outboxIds.map((id) => ({
      sql: "DELETE FROM audit_outbox WHERE outbox_id = ?",
      params: [id],
      expect: 1,
    })),
  ];
}
