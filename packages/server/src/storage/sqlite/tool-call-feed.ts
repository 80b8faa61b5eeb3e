import { assert } from "../../kernel/assert.js";
import type { TakenCalls, ToolCallFeed } from "../../kernel/tool-call.js";
import type { Write } from "./commit-protocol.js";
import { WriteConflict, type CommitWriter } from "./commit-writer.js";
import { read, type SqliteRow, type StatementCache } from "./connection.js";
import { WAITING_COUNTED_MAX } from "../waiting-calls.js";
import { number } from "./plan-rows.js";

/** Who reads the log, and what of it. */
export interface FeedConsumer<Call> {
  /** The consumer's name, under which its cursor is stored. */
  readonly name: string;
  /** Columns of `tool_calls` that it reads, `sequence` among them. */
  readonly columns: string;
  readonly callOf: (row: SqliteRow) => Call;
}

/** One consumer's place in the log of tool calls: a cursor, for one process writes the log in order. */
export class SqliteToolCallFeed<Call> implements ToolCallFeed<Call> {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;
  readonly #consumer: FeedConsumer<Call>;
  /** Where the cursor moves from and to when a batch is done. */
  readonly #moves = new WeakMap<TakenCalls<Call>, readonly [from: number, to: number]>();

  constructor(writer: CommitWriter, db: StatementCache, consumer: FeedConsumer<Call>) {
    this.#writer = writer;
    this.#db = db;
    this.#consumer = consumer;
  }

  take(limit: number): Promise<TakenCalls<Call>> {
    return read(() => {
      const from = this.#position();
      const { columns, callOf } = this.#consumer;
      const rows = this.#db.all(
        `SELECT ${columns} FROM tool_calls WHERE sequence > ? ORDER BY sequence LIMIT ?`,
        from,
        BigInt(limit),
      );
      const taken = { calls: rows.map(callOf), isCut: rows.length === limit };
      this.#moves.set(taken, [from, number(rows.at(-1)?.["sequence"] ?? from)]);
      return taken;
    });
  }

  async done(taken: TakenCalls<Call>): Promise<void> {
    if (taken.calls.length === 0) return;
    try {
      await this.#writer.commitSoon([this.doneWrite(taken)]);
    } catch (error) {
      // The batch was done before.
      if (!(error instanceof WriteConflict)) throw error;
    }
  }

  /** What marks a batch as done, for a consumer that stores what it makes of it in the same commit. */
  doneWrite(taken: TakenCalls<Call>): Write {
    const move = this.#moves.get(taken);
    assert(move !== undefined, "a batch is done by the feed that it was taken from");
    const [from, to] = move;
    return {
      sql: `INSERT INTO tool_call_cursors (consumer, sequence) VALUES (?1, ?3)
            ON CONFLICT (consumer) DO UPDATE SET sequence = excluded.sequence WHERE sequence = ?2`,
      params: [this.#consumer.name, from, to],
      expect: 1,
    };
  }

  waiting(orgId?: string): Promise<number> {
    return read(() => {
      if (orgId !== undefined) return this.#waitingOf(orgId);
      // The store leaves no gaps in the sequence, and counting rows would read every one that waits.
      const row = this.#db.get("SELECT max(sequence) AS last FROM tool_calls");
      return Math.max(0, Number(row?.["last"] ?? 0) - this.#position());
    });
  }

  #waitingOf(orgId: string): number {
    const row = this.#db.get(
      `SELECT count(*) AS waiting
       FROM (SELECT org_id FROM tool_calls WHERE sequence > ? ORDER BY sequence LIMIT ?)
       WHERE org_id = ?`,
      ...[this.#position(), BigInt(WAITING_COUNTED_MAX), orgId],
    );
    return number(row?.["waiting"] ?? 0);
  }

  #position(): number {
    const sql = "SELECT sequence FROM tool_call_cursors WHERE consumer = ?";
    return number(this.#db.get(sql, this.#consumer.name)?.["sequence"] ?? 0);
  }
}
