import type { Intent, StatementClass, TouchedData } from "../../governance/index.js";
import type {
  AttemptRef,
  SqlValue,
  StatementFailureReason,
  StatementResult,
} from "../../plans/ports.js";

/** What a child process is for; SQLite has many readers and one writer. */
export type ChildRole = "reader" | "writer";

/** What the server asks of a child. Answered in the order asked, each under its `id`. */
export interface ChildRequest {
  readonly id: number;
  readonly task: ChildTask;
}

/** What there is to do. */
export type ChildTask = ReadTask | DescribeTask | WriteTask | SettleTask;

/** What a child is told; it has no answer of its own. */
export type ChildNotice =
  /** Nobody waits for these any more: those not yet begun are answered `dropped` in their turn. */
  | { readonly kind: "drop"; readonly ids: readonly number[] }
  /** These attempts' results are safe elsewhere: their markers go with the next write. */
  | { readonly kind: "forget"; readonly attempts: readonly AttemptRef[] };

/** A statement that was found to be of its intent, and what is known of it. */
export interface AdmittedStatement {
  readonly sql: string;
  readonly binds: readonly SqlValue[];
  readonly intent: Intent;
  readonly statementClass: StatementClass;
  /** Tables it names. */
  readonly tables: readonly string[];
  /** The columns that an INSERT names, in lower case; absent: all of them, or not an INSERT. */
  readonly insertedColumns?: readonly string[] | undefined;
  /** The version of the schema that the statement was described under; absent: it may run under any. */
  readonly schemaVersion?: number | undefined;
}

/** What a statement touches, under one version of the schema. */
export interface StatementDescription {
  readonly schemaVersion: number;
  readonly touched: TouchedData;
}

/** What a child says of a statement that was described under another version of the schema. */
export const SCHEMA_CHANGED = "The schema changed while the statement was checked; try again";

/** Runs a statement that changes nothing. Only readers are asked. */
export interface ReadTask {
  readonly kind: "read";
  readonly statement: AdmittedStatement;
}

/**
 * Says what a statement touches, whatever its intent, and runs nothing. Only readers are asked. The rows of the answer
 * are a {@link StatementDescription}.
 */
export interface DescribeTask {
  readonly kind: "describe";
  readonly statement: AdmittedStatement;
}

/** Runs a statement and its marker in one transaction. Only the writer is asked. */
export interface WriteTask {
  readonly kind: "write";
  readonly statement: AdmittedStatement;
  /** Rows that it may change. */
  readonly rowsMax: number;
  readonly attempt: AttemptRef;
}

/** Decides whether an attempt took effect. Only the writer is asked. */
export interface SettleTask {
  readonly kind: "settle";
  readonly attempt: AttemptRef;
}

/** What a child is started with. */
export interface ChildSettings {
  readonly role: ChildRole;
  /** The data source's file. */
  readonly path: string;
  readonly parentPid: number;
  /** Resident memory that it may take, in bytes. */
  readonly memoryBytesMax: number;
  /** Bytes of the temporary files that it may have, all together. */
  readonly temporaryBytesMax: number;
}

/** The signals by which a child that takes more than it may ends itself, and of what it took too much. */
export const LIMIT_SIGNALS = { memory: "SIGUSR2", temporary: "SIGALRM" } as const;

/** What a child says. The rows of a `result` travel behind it, as text that nobody parses. */
export type ChildReply =
  /** The process is up; nothing has been opened yet. */
  | { readonly kind: "ready" }
  /** COMMIT comes next: from here on the outcome is known only by asking. Not the answer yet. */
  | { readonly kind: "committing"; readonly id: number }
  | { readonly kind: "result"; readonly id: number; readonly result: ResultHead }
  /** Answer to `settle`: it took no effect and never will. */
  | { readonly kind: "fenced"; readonly id: number }
  | { readonly kind: "dropped"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly failure: StatementFailure };

/** A {@link StatementResult} without its rows. */
type ResultHead = Omit<StatementResult, "outputJson">;

/** A `StatementError` on its way between processes. */
interface StatementFailure {
  readonly reason: StatementFailureReason;
  readonly message: string;
  readonly hints: readonly string[];
}
