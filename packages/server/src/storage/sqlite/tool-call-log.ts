import { EventEmitter } from "node:events";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import {
  auditEventOf,
  type LoggedAuditEvent,
  type LoggedToolCall,
  type ToolCallLog,
} from "../../kernel/tool-call.js";
import type { Write } from "./commit-protocol.js";
import type { CommitWriter } from "./commit-writer.js";
import { read, type StatementCache } from "./connection.js";
import { number } from "./column-values.js";
import type { LoggedCalls } from "./logged-calls.js";

/** The tool calls of an SQLite store. */
export class SqliteToolCallLog implements ToolCallLog {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;
  readonly #calls: LoggedCalls;
  readonly #wakes = new EventEmitter().setMaxListeners(0);

  constructor(writer: CommitWriter, db: StatementCache, calls: LoggedCalls) {
    this.#writer = writer;
    this.#db = db;
    this.#calls = calls;
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
    return read(() => this.#calls.after(sequence, limit, true));
  }

  auditEventsAfter(sequence: number, limit: number): Promise<readonly LoggedAuditEvent[]> {
    return read(() =>
      this.#calls
        .after(sequence, limit, false)
        .map((call) => ({ sequence: call.sequence, event: auditEventOf(call.record) })),
    );
  }

  acknowledge(consumer: string, sequence: number): Promise<void> {
    return this.#writer.commitSoon([cursorWrite(consumer, sequence)]);
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

/** A consumer's cursor moves forward only. */
function cursorWrite(consumer: string, sequence: number): Write {
  return {
    sql: `INSERT INTO tool_call_cursors (consumer, sequence) VALUES (?, ?)
          ON CONFLICT (consumer) DO UPDATE SET sequence = max(sequence, excluded.sequence)`,
    params: [consumer, sequence],
  };
}
