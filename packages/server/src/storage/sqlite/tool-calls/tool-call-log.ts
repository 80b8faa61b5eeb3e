import { setImmediate as nextTurn } from "node:timers/promises";
import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { RecordedListener, ToolCallLog, ToolCallRecord } from "../../../kernel/tool-call.js";
import { callOf } from "../../plan-changes/index.js";
import { unreadableCall } from "../../unreadable-call.js";
import { number } from "../column-values.js";
import { SYSTEM, type CommittedReads } from "../reads/store-reads.js";
import type { PlanDefinitions } from "./plan-definitions.js";

/** Bytes of calls and outputs that are read at once. */
const READ_BYTES = 8 * 1024 * 1024;
/** Calls replayed at once. */
const REPLAYED_MAX = 256;

/** A call with its position in the log, which grows with each commit. */
export interface PlacedCall {
  readonly place: number;
  /** Absent when the call cannot be read, or was deleted with its plan. */
  readonly record?: ToolCallRecord;
  /** Why the call cannot be read. */
  readonly error?: Error;
}

/** A page of the log. */
export interface PlacedCalls {
  readonly calls: readonly PlacedCall[];
  readonly isCut: boolean;
}

interface CallRow {
  readonly change: number;
  readonly org_id: string;
  readonly plan_id: string;
  readonly session_id: string;
  readonly call: string;
  readonly output: string | null;
}

/** The row of a call that was set aside; all but its place is `null` once its plan was deleted. */
type SetAsideRow = CallRow | { readonly change: number; readonly call: null };

/** The tool calls of an SQLite store: those of all plans in the order of their commits. */
export class SqliteToolCallLog implements ToolCallLog {
  readonly #db: CommittedReads;
  readonly #definitions: PlanDefinitions;
  readonly #listeners = new Set<RecordedListener>();

  constructor(db: CommittedReads, definitions: PlanDefinitions) {
    this.#db = db;
    this.#definitions = definitions;
  }

  onRecorded(listener: RecordedListener): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async replay(): Promise<void> {
    for (let place = this.cursor("usage"); ;) {
      const { calls } = await this.after(place, REPLAYED_MAX, false);
      const last = calls.at(-1);
      if (last === undefined) return;
      this.recorded(calls.flatMap(({ record }) => record ?? []));
      place = last.place;
      await nextTurn();
    }
  }

  /** Notifies the listeners of calls that have just been committed. */
  recorded(calls: readonly ToolCallRecord[]): void {
    for (const listener of this.#listeners) listener(calls);
  }

  /** A consumer's position; 0 for a new one. */
  cursor(consumer: string): number {
    const sql = "SELECT sequence FROM tool_call_cursors WHERE consumer = ?";
    return number(this.#db.get(sql, consumer)?.["sequence"] ?? 0);
  }

  /**
   * Calls that were committed after a position: up to `limit`, or fewer when they are large.
   * @param withOutputs outputs may be large, and not every reader needs them.
   */
  async after(place: number, limit: number, withOutputs: boolean): Promise<PlacedCalls> {
    const { rows, isCut } = await this.#db.page<CallRow>(
      SYSTEM,
      READ_BYTES,
      `SELECT c.change, c.org_id, c.plan_id, p.session_id, c.call,
         ${withOutputs ? "c.output" : "NULL AS output"}
       FROM plan_changes AS c JOIN plans AS p USING (org_id, plan_id)
       WHERE c.change > ? AND c.call IS NOT NULL ORDER BY c.change LIMIT ?`,
      place,
      BigInt(limit),
    );
    return { calls: rows.map((row) => this.#placed(row)), isCut: isCut || rows.length === limit };
  }

  /**
   * Calls that a consumer has set aside, those that can be read by now among them.
   * @param except places that are not tried yet.
   */
  async setAside(
    consumer: string,
    except: readonly number[],
    limit: number,
    withOutputs: boolean,
  ): Promise<PlacedCalls> {
    const known = this.#db.get(
      "SELECT 1 FROM set_aside_calls WHERE consumer = ? LIMIT 1",
      consumer,
    );
    if (known === undefined) return { calls: [], isCut: false };
    const { rows, isCut } = await this.#db.page<SetAsideRow>(
      SYSTEM,
      READ_BYTES,
      `SELECT s.change, c.org_id, c.plan_id, p.session_id, c.call,
         ${withOutputs ? "c.output" : "NULL AS output"}
       FROM set_aside_calls AS s LEFT JOIN plan_changes AS c USING (change)
         LEFT JOIN plans AS p USING (org_id, plan_id)
       WHERE s.consumer = ? AND s.change NOT IN (SELECT value FROM json_each(?))
       ORDER BY s.change LIMIT ?`,
      consumer,
      JSON.stringify(except),
      BigInt(limit),
    );
    const calls = rows.map((row) =>
      row.call === null ? { place: row.change } : this.#placed(row),
    );
    return { calls, isCut: isCut || rows.length === limit };
  }

  #placed(row: CallRow): PlacedCall {
    const { change: place, org_id: orgId, plan_id: planId, session_id: sessionId } = row;
    try {
      const { steps } = this.#definitions.of(orgId, planId);
      const output = row.output ?? undefined;
      return { place, record: callOf(row.call, { orgId, planId, sessionId, steps, output }) };
    } catch (error) {
      return { place, error: unreadableCall({ orgId, planId }, error) };
    }
  }
}
