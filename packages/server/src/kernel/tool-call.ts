import type { RecordedCaller } from "./caller.js";
import type { Unsubscribe } from "./event-bus.js";

/**
 * One call of a tool: one attempt of a step that reached its tool (Decision §7). Written in the
 * transaction that finishes the attempt, so that it exists exactly when the attempt's result does.
 */
export interface ToolCallRecord {
  /** UUID v4; what makes consuming the record exactly-once. */
  readonly eventId: string;
  readonly orgId: string;
  readonly sessionId: string;
  readonly planId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** Who had it run; absent when its server died meanwhile and the step was settled afterwards. */
  readonly caller: RecordedCaller | undefined;
  readonly toolName: string;
  /** The data source, or the tool of our own, that it ran on; empty when that is not known. */
  readonly dataSource: string;
  /** What it touched of its data source; absent when no policy asked for it, or it was too much to keep. */
  readonly touched: RecordedData | undefined;
  readonly intent: string;
  /** Which rule decided the intent (Decision §7). */
  readonly intentSource: string;
  readonly ormModel: string | undefined;
  readonly status: "completed" | "failed" | "cancelled";
  readonly rowCount: number;
  readonly error: string | undefined;
  /** The statement as submitted, placeholders and all: never with values in it. */
  readonly query: string;
  /** JSON text of the output, cut to {@link TOOL_CALL_OUTPUT_BYTES_MAX}. */
  readonly output: string;
  /** Milliseconds since the Unix epoch. */
  readonly finishedAtMs: number;
  readonly durationMs: number;
}

/** What a tool call touched of its data source, as the database reported it. Names are in lower case. */
export interface RecordedData {
  /** On PostgreSQL a table's name has its schema in front. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  /** Functions of the database that the statement called. */
  readonly functions: readonly string[];
}

/** Bytes of a step's output that its tool-call record keeps (Decision §12). */
export const TOOL_CALL_OUTPUT_BYTES_MAX: number = 8 * 1024;

/** Payload of `LlmToolCallAuditRecorded` (Contract §4.5, recording rule 1). */
export interface LlmToolCallAuditRecorded {
  /** The record's id: the same event published again after a crash carries the same one. */
  readonly event_id: string;
  readonly tool_name: string;
  readonly context: {
    readonly org_id: string;
    readonly session_id: string;
    readonly orm_model: string | undefined;
    readonly intent: string;
  };
}

/** What is published of a tool call. */
export function auditEventOf(record: ToolCallRecord): LlmToolCallAuditRecorded {
  return {
    event_id: record.eventId,
    tool_name: record.toolName,
    context: {
      org_id: record.orgId,
      session_id: record.sessionId,
      orm_model: record.ormModel,
      intent: record.intent,
    },
  };
}

/** What the process-wide bus carries. */
export interface AuditEvents {
  readonly LlmToolCallAuditRecorded: LlmToolCallAuditRecorded;
}

/** Told of tool calls after the commit that recorded them. It must not throw, nor block. */
export type RecordedListener = (calls: readonly ToolCallRecord[]) => void;

/** What tells of the tool calls that this process records; each consumer reads them from its {@link ToolCallFeed}. */
export interface ToolCallLog {
  onRecorded(listener: RecordedListener): Unsubscribe;
  /** Tells the listeners of the calls that a former process recorded and of which there is no usage row yet. */
  replay(): Promise<void>;
}

/** Calls that a consumer has taken from the log, and has not done yet. */
export interface TakenCalls {
  readonly calls: readonly ToolCallRecord[];
  /** Whether more may be waiting than were taken. */
  readonly isCut: boolean;
}

/**
 * What one consumer of the log of tool calls has not done yet: usage, memory. Each consumer has a feed
 * of its own with a durable place. A call is taken again until it is done, after a crash too, and no
 * committed call is ever passed over.
 */
export interface ToolCallFeed {
  /**
   * The next calls, at most `limit`, each plan's in their order. Batches that were taken before and are
   * not done come again.
   */
  take(limit: number): Promise<TakenCalls>;

  /**
   * Remembers that a batch is done; durable when it resolves. What another process has done meanwhile
   * stays done. A consumer that stores what it makes of the calls has its store do both at once.
   */
  done(taken: TakenCalls): Promise<void>;

  /**
   * How many calls wait; from some number on, at least so many.
   * @param orgId Of this organization; absent: of all together.
   */
  waiting(orgId?: string): Promise<number>;

  /** Has `wake` called when there may be calls to take. */
  onNews(wake: () => void): Unsubscribe;
}
