import { assert } from "@steward/kernel/assert.js";
import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { ToolCallBatch, ToolCallFeed } from "../../../kernel/tool-call.js";
import type { Write } from "../commit-protocol.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { WAITING_COUNTED_MAX } from "../../waiting-calls.js";
import { number } from "../column-values.js";
import type { SqliteToolCallLog } from "./tool-call-log.js";

/** A reader of the log, and the part that it needs. */
export interface FeedConsumer {
  /** The consumer's name, under which its cursor is stored. */
  readonly name: string;
  /** Whether it needs the outputs of calls, which may be large. */
  readonly withOutputs: boolean;
}

/**
 * One consumer's position in the log of tool calls. A single cursor is enough, because one process
 * writes the log in order.
 */
export class SqliteToolCallFeed implements ToolCallFeed {
  readonly #writer: CommitWriter;
  readonly #db: StoreReads;
  readonly #calls: SqliteToolCallLog;
  readonly #consumer: FeedConsumer;
  /** The old and new position of the cursor for each batch. */
  readonly #moves = new WeakMap<ToolCallBatch, readonly [from: number, to: number]>();

  constructor(
    writer: CommitWriter,
    db: StoreReads,
    calls: SqliteToolCallLog,
    consumer: FeedConsumer,
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#calls = calls;
    this.#consumer = consumer;
  }

  async take(limit: number): Promise<ToolCallBatch> {
    const { name, withOutputs } = this.#consumer;
    const from = this.#calls.cursor(name);
    const { calls, isCut } = await this.#calls.after(from, limit, withOutputs);
    const taken = { calls: calls.map(({ record }) => record), isCut };
    this.#moves.set(taken, [from, calls.at(-1)?.place ?? from]);
    return taken;
  }

  async done(taken: ToolCallBatch): Promise<void> {
    if (taken.calls.length === 0) return;
    try {
      await this.#writer.commitSoon([this.doneWrite(taken)]);
    } catch (error) {
      // The batch was acknowledged before.
      if (!(error instanceof WriteConflict)) throw error;
    }
  }

  /**
   * The write that acknowledges a batch, for a consumer that commits it together with its own rows.
   */
  doneWrite(taken: ToolCallBatch): Write {
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

  async waiting(orgId?: string): Promise<number> {
    const row = await this.#db.first(
      orgId ?? SYSTEM,
      `SELECT count(*) AS waiting
         FROM (SELECT org_id FROM plan_changes
               WHERE change > ?1 AND call IS NOT NULL ORDER BY change LIMIT ?2)
         WHERE ?3 IS NULL OR org_id = ?3`,
      this.#calls.cursor(this.#consumer.name),
      BigInt(WAITING_COUNTED_MAX),
      orgId ?? null,
    );
    return number(row?.["waiting"] ?? 0);
  }

  onNews(wake: () => void): Unsubscribe {
    return this.#calls.onRecorded(wake);
  }
}
