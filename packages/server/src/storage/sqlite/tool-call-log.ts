import { EventEmitter } from "node:events";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type {
  LlmToolCallAuditRecorded,
  LoggedAuditEvent,
  LoggedToolCall,
  ToolCallLog,
  ToolCallRecord,
} from "../../kernel/tool-call.js";
import type { RecordedCall } from "../../usage/ports.js";
import type { Write } from "./commit-protocol.js";
import type { CommitWriter } from "./commit-writer.js";
import { callerOf, dataOf, type KeptCaller, type KeptData } from "../recorded-caller.js";
import { read, type SqliteRow, type SqliteValue, type StatementCache } from "./connection.js";
import { number, optionalText, text } from "./plan-rows.js";

/** The tool calls of an SQLite store. */
export class SqliteToolCallLog implements ToolCallLog {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;
  readonly #wakes = new EventEmitter().setMaxListeners(0);

  constructor(writer: CommitWriter, db: StatementCache) {
    this.#writer = writer;
    this.#db = db;
  }

  position(consumer: string): Promise<number> {
    return read(() => {
      const row = this.#db.get(
        "SELECT sequence FROM tool_call_cursors WHERE consumer = ?",
        consumer,
      );
      return row === undefined ? 0 : number(row["sequence"]);
    });
  }

  readAfter(sequence: number, limit: number): Promise<readonly LoggedToolCall[]> {
    return read(() =>
      this.#db
        .all(
          "SELECT * FROM tool_calls WHERE sequence > ? ORDER BY sequence LIMIT ?",
          sequence,
          BigInt(limit),
        )
        .map((row) => ({ sequence: number(row["sequence"]), record: recordOf(row) })),
    );
  }

  auditEventsAfter(sequence: number, limit: number): Promise<readonly LoggedAuditEvent[]> {
    return read(() =>
      this.#db
        .all(
          `SELECT sequence, event_id, tool_name, org_id, session_id, orm_model, intent
           FROM tool_calls WHERE sequence > ? ORDER BY sequence LIMIT ?`,
          sequence,
          BigInt(limit),
        )
        .map((row) => ({ sequence: number(row["sequence"]), event: auditEventOf(row) })),
    );
  }

  acknowledge(consumer: string, sequence: number): Promise<void> {
    return this.#writer.commitSoon([writePosition(consumer, sequence)]);
  }

  onRecorded(wake: () => void): Unsubscribe {
    this.#wakes.on("recorded", wake);
    return () => this.#wakes.off("recorded", wake);
  }

  /** Wakes the consumers: called by whoever has committed a record. */
  recorded(): void {
    this.#wakes.emit("recorded");
  }
}

/** A consumer's position, for a consumer that changes it together with what it derives. */
export function writePosition(consumer: string, sequence: number): Write {
  return {
    sql: `INSERT INTO tool_call_cursors (consumer, sequence) VALUES (?, ?)
          ON CONFLICT (consumer) DO UPDATE SET sequence = max(sequence, excluded.sequence)`,
    params: [consumer, sequence],
  };
}

function auditEventOf(row: SqliteRow): LlmToolCallAuditRecorded {
  return {
    event_id: text(row["event_id"]),
    tool_name: text(row["tool_name"]),
    context: {
      org_id: text(row["org_id"]),
      session_id: text(row["session_id"]),
      orm_model: optionalText(row["orm_model"]),
      intent: text(row["intent"]),
    },
  };
}

/** A row of `tool_calls`. */
export function recordOf(row: SqliteRow): ToolCallRecord {
  return {
    ...recordedCallOf(row),
    attempt: number(row["attempt"]),
    status: text(row["status"]) as ToolCallRecord["status"],
    rowCount: number(row["row_count"]),
    error: optionalText(row["error"]),
    query: text(row["query"]),
    output: text(row["output"]),
    durationMs: number(row["duration_ms"]),
    dataSource: text(row["data_source"]),
    // Both columns are written by this program alone.
    caller: callerOf(parsed(row["caller"]) as KeptCaller | undefined),
    touched: dataOf(parsed(row["touched"]) as KeptData | undefined),
  };
}

function parsed(column: SqliteValue | undefined): unknown {
  const json = optionalText(column);
  return json === undefined ? undefined : JSON.parse(json);
}

/** Columns of `tool_calls` that {@link recordedCallOf} reads: all but the large ones. */
export const RECORDED_CALL_COLUMNS: string = `sequence, event_id, org_id, session_id, plan_id,
  step_id, tool_name, intent, intent_source, orm_model, finished_at_ms`;

/** A tool call, as far as usage looks at it. */
export function recordedCallOf(row: SqliteRow): RecordedCall {
  return {
    eventId: text(row["event_id"]),
    orgId: text(row["org_id"]),
    sessionId: text(row["session_id"]),
    planId: text(row["plan_id"]),
    stepId: text(row["step_id"]),
    toolName: text(row["tool_name"]),
    intent: text(row["intent"]),
    intentSource: text(row["intent_source"]),
    ormModel: optionalText(row["orm_model"]),
    finishedAtMs: number(row["finished_at_ms"]),
  };
}
