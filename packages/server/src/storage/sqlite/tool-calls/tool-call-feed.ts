import { assert } from "@steward/kernel/assert.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { ToolCallBatch, ToolCallFeed } from "../../../kernel/tool-call.js";
import type { Write } from "../commit-protocol.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { SYSTEM, type CommittedReads } from "../reads/store-reads.js";
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

/** What the acknowledgement of a batch changes. */
interface Move {
  /** The old and the new position of the cursor. */
  readonly from: number;
  readonly to: number;
  /** Places of calls that could not be read. */
  readonly setAside: readonly number[];
  /** Places of calls that were set aside, and are in the batch or deleted. */
  readonly settled: readonly number[];
}

/**
 * One consumer's position in the log of tool calls. A single cursor is enough, because one process
 * writes the log in order. The cursor passes over a call that cannot be read; its place is stored
 * beside, in the same commit, until the call was taken.
 */
export class SqliteToolCallFeed implements ToolCallFeed {
  readonly #writer: Pick<CommitWriter, "commitSoon">;
  readonly #db: CommittedReads;
  readonly #calls: SqliteToolCallLog;
  readonly #consumer: FeedConsumer;
  readonly #moves = new WeakMap<ToolCallBatch, Move>();

  constructor(
    writer: Pick<CommitWriter, "commitSoon">,
    db: CommittedReads,
    calls: SqliteToolCallLog,
    consumer: FeedConsumer,
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#calls = calls;
    this.#consumer = consumer;
  }

  async take(
    limit: number,
    setAside?: Pick<SetAside, "waiting" | "succeeded" | "failed">,
  ): Promise<ToolCallBatch> {
    const { name, withOutputs } = this.#consumer;
    const from = this.#calls.cursor(name);
    const except = setAside?.waiting().map(Number) ?? [];
    const again = await this.#calls.setAside(name, except, limit, withOutputs);
    const rest = limit - again.calls.length;
    const { calls, isCut } =
      rest === 0 ? { calls: [], isCut: true } : await this.#calls.after(from, rest, withOutputs);
    const placed = [...again.calls, ...calls];
    for (const { place, error } of placed) {
      if (error === undefined) setAside?.succeeded(String(place));
      else setAside?.failed(String(place), error);
    }
    const taken = { calls: placed.flatMap(({ record }) => record ?? []), isCut };
    this.#moves.set(taken, {
      from,
      to: calls.at(-1)?.place ?? from,
      setAside: calls.flatMap(({ place, error }) => (error === undefined ? [] : [place])),
      settled: again.calls.flatMap(({ place, error }) => (error === undefined ? [place] : [])),
    });
    return taken;
  }

  async done(taken: ToolCallBatch): Promise<void> {
    const writes = this.doneWrites(taken);
    if (writes.length === 0) return;
    try {
      await this.#writer.commitSoon(writes);
    } catch (error) {
      // The batch was acknowledged before.
      if (!(error instanceof WriteConflict)) throw error;
    }
  }

  /**
   * The writes that acknowledge a batch, for a consumer that commits them together with its own
   * rows. None when the batch has nothing to acknowledge.
   */
  doneWrites(taken: ToolCallBatch): readonly Write[] {
    const move = this.#moves.get(taken);
    assert(move !== undefined, "a batch is done by the feed that it was taken from");
    const { name } = this.#consumer;
    const { from, to, setAside, settled } = move;
    const writes: Write[] = [];
    if (to !== from) {
      writes.push({
        sql: `INSERT INTO tool_call_cursors (consumer, sequence) VALUES (?1, ?3)
              ON CONFLICT (consumer) DO UPDATE SET sequence = excluded.sequence
              WHERE sequence = ?2`,
        params: [name, from, to],
        expect: 1,
      });
    }
    if (setAside.length > 0) {
      writes.push({
        sql: `INSERT INTO set_aside_calls (consumer, change)
              SELECT ?, value FROM json_each(?)`,
        params: [name, JSON.stringify(setAside)],
        expect: setAside.length,
      });
    }
    if (settled.length > 0) {
      writes.push({
        sql: `DELETE FROM set_aside_calls
              WHERE consumer = ? AND change IN (SELECT value FROM json_each(?))`,
        params: [name, JSON.stringify(settled)],
        expect: settled.length,
      });
    }
    return writes;
  }

  async waiting(orgId?: string): Promise<number> {
    const [row] = await this.#db.all(
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
