import type { RecordedCaller } from "@steward/kernel/caller.js";
import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import type { Unsubscribe } from "./event-bus.js";

/**
 * The record of one tool call: one attempt of a step that reached its tool (Decision §7). The
 * record is written in the transaction that finishes the attempt, so that it exists exactly when
 * the attempt's result does.
 */
export interface ToolCallRecord {
  /** UUID v4. Consumers use it to process a record exactly once. */
  readonly eventId: string;
  readonly orgId: string;
  readonly sessionId: string;
  readonly planId: string;
  readonly stepId: string;
  readonly attempt: number;
  /**
   * The caller who executed the step. Absent when the step's server crashed and another server
   * settled the step.
   */
  readonly caller: RecordedCaller | undefined;
  readonly toolName: string;
  /** The data source or built-in tool that ran the step; empty when unknown. */
  readonly dataSource: string;
  /**
   * Tables, columns and functions that the call used. Absent when no policy reads them, or when the
   * list exceeds its limit.
   */
  readonly touched: RecordedData | undefined;
  /** The statements whose outputs were bound to its parameters; absent: none. */
  readonly boundSources?: readonly OutputSource[];
  readonly intent: string;
  /** What the statement does by its text; absent: it was not prepared by this service. */
  readonly kinds?: readonly string[];
  /** The rule that classified the intent (Decision §7). */
  readonly intentSource: string;
  readonly ormModel: string | undefined;
  readonly status: "completed" | "failed" | "cancelled";
  readonly rowCount: number;
  readonly error: string | undefined;
  /** The statement as submitted, with its placeholders and without values. */
  readonly query: string;
  /** JSON text of the output, truncated to {@link TOOL_CALL_OUTPUT_BYTES_MAX}. */
  readonly output: string;
  /** Milliseconds since the Unix epoch. */
  readonly finishedAtMs: number;
  readonly durationMs: number;
}

/** How a table or column is used; `define`: its definition is created, changed or dropped. */
export type DataAccess = "read" | "insert" | "update" | "delete" | "define";

/** A table that a statement used, with the used columns for each kind of access. */
export interface RecordedTable {
  /** On PostgreSQL, it is qualified by its schema. */
  readonly name: string;
  /** Empty when the access is unknown, because the database was not asked. */
  readonly accesses: { readonly [Access in DataAccess]?: readonly string[] };
}

/**
 * The objects of the data source that a tool call used, as the database reported them. Names are in
 * lower case.
 */
export interface RecordedData {
  readonly tables: readonly RecordedTable[];
  /** Database functions that the statement called. */
  readonly functions: readonly string[];
  /** The call ended before the database reported anything: these are the tables that the text names. */
  readonly unreported?: true;
}

/** The statement that an output comes from, for policies to decide who may have the output. */
export interface OutputSource {
  readonly dataSource: string;
  readonly intent: string;
  /** What the statement does by its text; absent when it was not recorded. */
  readonly kinds?: readonly string[];
  /** Absent when it was not recorded. */
  readonly touched: RecordedData | undefined;
}

/** Who had a tool call run, in which session, and the statements that its output comes from. */
export type CallOrigin = Pick<
  ToolCallRecord,
  "orgId" | "caller" | "sessionId" | "dataSource" | "intent" | "kinds" | "touched" | "boundSources"
>;

/** The statements that the output of a tool call comes from: its own, and those that it bound. */
export function sourcesOfCall(call: CallOrigin): readonly OutputSource[] {
  const { dataSource, intent, kinds, touched, boundSources = [] } = call;
  return [{ dataSource, intent, ...(kinds && { kinds }), touched }, ...boundSources];
}

/** Bytes of a step's output stored in its tool-call record (Decision §12). */
export const TOOL_CALL_OUTPUT_BYTES_MAX: number = 8 * 1024;

/** Payload of `LlmToolCallAuditRecorded` (Contract §4.5, recording rule 1). */
export interface LlmToolCallAuditRecorded {
  /** The record's id. An event that is published again after a crash has the same id. */
  readonly event_id: string;
  readonly tool_name: string;
  readonly context: {
    readonly org_id: string;
    readonly session_id: string;
    readonly orm_model: string | undefined;
    readonly intent: string;
  };
}

/** The event published for a tool call. */
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

/** Events of the process-wide bus. */
export interface AuditEvents {
  readonly LlmToolCallAuditRecorded: LlmToolCallAuditRecorded;
}

/**
 * Called with tool calls after the commit that recorded them. A listener must neither throw nor
 * block.
 */
export type RecordedListener = (calls: readonly ToolCallRecord[]) => void;

/**
 * Notifies of tool calls recorded by this process. The notification is only a hint: each consumer
 * reads the calls from its {@link ToolCallFeed}.
 */
export interface ToolCallLog {
  onRecorded(listener: RecordedListener): Unsubscribe;
  /**
   * Notifies the listeners of calls that an earlier process recorded and that have no usage row
   * yet.
   */
  replay(): Promise<void>;
}

/** A batch of calls that a consumer has taken from the log and not acknowledged yet. */
export interface ToolCallBatch {
  readonly calls: readonly ToolCallRecord[];
  /** Whether the batch reached its limit, so that more calls may be waiting. */
  readonly isCut: boolean;
}

/**
 * One consumer's durable position in the log of tool calls. Usage and memory each have a feed.
 * Delivery is at least once: a call is taken again until it is acknowledged, after a crash too, and
 * no committed call is skipped.
 */
export interface ToolCallFeed {
  /**
   * The next calls, at most `limit`, each plan's calls in order. Batches that were taken and not
   * acknowledged are returned again. A call that cannot be read is set aside: it stays in the log
   * and is taken once it can be read.
   * @param setAside is told of calls that cannot be read, and keeps their pauses.
   */
  take(limit: number, setAside?: SetAside): Promise<ToolCallBatch>;

  /**
   * Acknowledges a batch; durable when it resolves. Calls that another process has acknowledged
   * stay acknowledged. A consumer that stores results acknowledges the batch in the same
   * transaction instead, through its store.
   */
  done(taken: ToolCallBatch): Promise<void>;

  /**
   * Number of waiting calls. The count stops at a limit, so a large result means "at least".
   * @param orgId only this organization's calls; absent: all calls.
   */
  waiting(orgId?: string): Promise<number>;

  /** Calls `wake` when there may be calls to take. */
  onNews(wake: () => void): Unsubscribe;
}
