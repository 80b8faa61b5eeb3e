import type { Intent, StatementClass, TouchedData } from "../../governance/index.js";
import type {
  AttemptRef,
  PreviewedTable,
  SqlValue,
  StatementFailureReason,
  StatementResult,
} from "../../plans/ports.js";
import type { RowLimits } from "../sql-target/statement-limits.js";

/** The role of a child process; SQLite has many readers and one writer. */
export type ChildRole = "reader" | "writer";

/** The server's requests to a child. They are answered in order, each with its `id`. */
export interface ChildRequest {
  readonly id: number;
  readonly task: ChildTask;
}

/** The tasks of a request. */
export type ChildTask =
  ReadTask | DescribeTask | WriteTask | SettleTask | PreviewTask | DeleteMarkersTask;

/** Notifications to a child, without an answer. */
export type ChildNotice =
  /**
   * Nobody waits for these requests any more. Those that have not started are answered `dropped` in
   * their turn.
   */
  | { readonly kind: "drop"; readonly ids: readonly number[] }
  /**
   * The results of these attempts are stored elsewhere, so the next write deletes their markers.
   */
  | { readonly kind: "forget"; readonly attempts: readonly AttemptRef[] };

/** An analyzed statement whose intent covers it. */
export interface AdmittedStatement {
  readonly sql: string;
  readonly binds: readonly SqlValue[];
  readonly intent: Intent;
  readonly statementClass: StatementClass;
  /** Tables it names. */
  readonly tables: readonly string[];
  /** The columns that an INSERT names, in lower case; absent: all of them, or not an INSERT. */
  readonly insertedColumns?: readonly string[] | undefined;
  /** The schema version of the statement's description; absent: it may run under any version. */
  readonly schemaVersion?: number | undefined;
}

/** The data that a statement touches, under one version of the schema. */
export interface StatementDescription {
  readonly schemaVersion: number;
  readonly touched: TouchedData;
}

/** The error for a statement whose description is for another version of the schema. */
export const SCHEMA_CHANGED = "The schema changed while the statement was checked; try again";

/** Runs a read. Only for readers. */
export interface ReadTask {
  readonly kind: "read";
  readonly statement: AdmittedStatement;
}

/**
 * Describes the data that a statement touches, whatever its intent, without running it. Only for
 * readers. The rows of the answer are a {@link StatementDescription}.
 */
export interface DescribeTask {
  readonly kind: "describe";
  readonly statement: AdmittedStatement;
}

/** Runs a statement and its marker in one transaction. Only for the writer. */
export interface WriteTask {
  readonly kind: "write";
  readonly statement: AdmittedStatement;
  readonly limits: RowLimits;
  readonly attempt: AttemptRef;
}

/** Determines whether an attempt took effect. Only for the writer. */
export interface SettleTask {
  readonly kind: "settle";
  readonly attempt: AttemptRef;
}

/**
 * Runs a write and rolls it back. Only for the writer. The rows of the answer are a
 * `StatementPreview`.
 */
export interface PreviewTask {
  readonly kind: "preview";
  readonly statement: AdmittedStatement;
  /** The limits with which the statement would run. */
  readonly limits: RowLimits;
  readonly tables: readonly PreviewedTable[];
}

/** Deletes the results in the markers of plans. Only for the writer. Answered like `fenced`. */
export interface DeleteMarkersTask {
  readonly kind: "delete_markers";
  readonly orgId: string;
  readonly planIds: readonly string[];
}

/** Start parameters of a child. */
export interface ChildSettings {
  readonly role: ChildRole;
  /** The data source's file. */
  readonly path: string;
  readonly parentPid: number;
  /** Maximum resident memory, in bytes. */
  readonly memoryBytesMax: number;
  /** Maximum total size of its temporary files, in bytes. */
  readonly temporaryBytesMax: number;
}

/** The signals with which a child ends itself when it exceeds a limit, by the limit. */
export const LIMIT_SIGNALS = { memory: "SIGUSR2", temporary: "SIGALRM" } as const;

/** A child's messages. The rows of a `result` follow as text that the server does not parse. */
export type ChildReply =
  /** The process is running and has opened nothing yet. */
  | { readonly kind: "ready" }
  /**
   * COMMIT comes next: from here on, only the database knows the outcome. The answer follows later.
   */
  | { readonly kind: "committing"; readonly id: number }
  | { readonly kind: "result"; readonly id: number; readonly result: ResultHead }
  /** Answer to `settle`: the attempt had no effect and never will. */
  | { readonly kind: "fenced"; readonly id: number }
  | { readonly kind: "dropped"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly failure: StatementFailure };

/** A {@link StatementResult} without its rows. */
type ResultHead = Omit<StatementResult, "outputJson">;

/** A `StatementError` as a message between processes. */
interface StatementFailure {
  readonly reason: StatementFailureReason;
  readonly message: string;
  readonly hints: readonly string[];
}
