import type { Dialect, Intent, StatementGrant, TouchedData } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { PreparedStep, SchemaTableDelta, StepExecution } from "./plan.js";
import type { PostgresType } from "./statements/postgres-types.js";
import type { ColumnType, StepOutput } from "./statements/step-output.js";
import type { ClaimRefusal } from "./transitions.js";

export {
  arrayTypeOf,
  elementTypeOf,
  isJsonType,
  POSTGRES,
  type PostgresType,
} from "./statements/postgres-types.js";
export type {
  ColumnType,
  OutputMetadata,
  PostgresColumnType,
  SqliteColumnType,
  StepOutput,
  StorageLetter,
} from "./statements/step-output.js";

/**
 * A value bound to a statement. On PostgreSQL text is read as what stands around its parameter wants;
 * a {@link PostgresValue} says of which type it is.
 */
export type SqlValue = string | number | null | SqliteValue | PostgresValue;

/** What the statement itself takes a value from: JSON text, or a blob as base64. */
export interface SqliteValue {
  readonly storage: "json" | "blob";
  readonly text: string;
}

/** A value of a type, or an array of such values, in PostgreSQL's text of it; NULL has none. */
export interface PostgresValue {
  readonly type: PostgresType;
  readonly isArray?: true;
  readonly text: string | null;
}

/** Names one attempt of one step, in every database it touches. */
export interface AttemptRef extends StepRef {
  readonly attempt: number;
}

/** Names one step. */
export interface StepRef extends PlanRef {
  readonly stepId: string;
}

/** Names one plan, within its organization. */
export interface PlanRef {
  readonly orgId: string;
  readonly planId: string;
}

/** One statement to run on a data source, or one call of a tool. */
export interface StatementRequest {
  /**
   * Exactly one statement of the target's dialect; every value in it is a parameter `?1`, `?2`…. For a
   * tool that takes no SQL, what it is called with.
   */
  readonly sql: string;
  readonly binds: readonly SqlValue[];
  /** The engine itself refuses whatever this intent does not cover. */
  readonly intent: Intent;
  /** Tables whose schema is compared before and after, beside those the statement touches. */
  readonly schemaTableHints: readonly string[];
  /** Rows that it may change; absent: as many as the target allows. Never more than the target allows. */
  readonly rowsChangedMax?: number | undefined;
  /** Milliseconds that it may wait for its turn. */
  readonly waitMs: number;
  /** Milliseconds that it may run, from its turn on. */
  readonly timeoutMs: number;
  /** Which attempt this is: a write leaves it in the target, in the same transaction (Decision §3). */
  readonly attempt: AttemptRef;
  /** Who has it run. */
  readonly caller: Caller;
  /**
   * Decides by what the engine says that the statement touches; absent: nobody looks at that. A data source asks
   * before the statement takes effect, and runs it only while it touches the same.
   * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`, which is what `run` then ends with.
   */
  readonly permit?: ((touched: TouchedData) => Promise<StatementGrant>) | undefined;
}

/** What a statement came to. */
export interface StatementResult {
  /** Rows returned or, of a write without RETURNING, rows changed. */
  readonly rowCount: number;
  /** JSON text: an array of row objects, cut to the row and byte limits (Decisions §4 and §5). */
  readonly outputJson: string;
  /** Rows of `rowCount` that the limits let pass: fewer when `outputJson` was cut. */
  readonly rowsKept: number;
  /** Counting stopped at `rowCount`: there are more. */
  readonly rowCountIsLowerBound: boolean;
  /** Of the columns whose types `outputJson` does not tell (Decision §5). */
  readonly columnTypes: readonly ColumnType[];
  readonly schemaDeltas: readonly SchemaTableDelta[];
}

/** Why a statement did not run to its end. */
export type StatementFailureReason =
  /** The engine says no, and will again: syntax, unknown table, constraint. */
  | "statement"
  /** The engine refuses it under the declared intent. */
  | "intent"
  /** Its time was up; it was stopped and its transaction rolled back. */
  | "timeout"
  /** Its turn did not come in time: it was not run. */
  | "waited"
  /** The signal was aborted; it was stopped and its transaction rolled back. */
  | "aborted"
  /** Proven to have left no trace, and may work the next time (SQLITE_BUSY, 40001, 40P01). */
  | "rolled_back"
  /** Whether it took effect is not known: ask `settle`. */
  | "connection";

/** Thrown by a {@link SqlTarget}; `message` is for the agent, values never in it. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly reason: StatementFailureReason;
  /** Sentences that help to repair the statement, such as near-miss names. */
  readonly hints: readonly string[];

  constructor(
    reason: StatementFailureReason,
    message: string,
    options: { readonly hints?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.hints = options.hints ?? [];
  }
}

/** What steps run on: a data source, or a tool of our own. */
export interface StepTarget {
  /** The name by which a step remembers it. */
  readonly name: string;

  /**
   * Runs one statement and resolves when its effect is durable in the target. A write and its marker
   * commit together; a second run of an attempt that took effect returns the first one's result.
   * @throws StatementError, or what `permit` threw; never with the statement still running.
   */
  run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult>;

  /**
   * Decides for good whether a write took effect: `undefined` means that it did not and that this
   * attempt, wherever it may still be under way, never will.
   * @param sql what it was asked to run.
   * @throws StatementError `connection` when the target cannot be asked now.
   */
  settle(attempt: AttemptRef, sql: string): Promise<StatementResult | undefined>;

  /** Says that the attempt's result is durable in the plan store: its marker may go. */
  forget(attempt: AttemptRef): void;
}

/** A database that agents work on: never the one this service keeps its own tables in. */
export interface SqlTarget extends StepTarget, AsyncDisposable {
  readonly dialect: Dialect;
}

/** How a tool name is run, when it is called with a statement. */
export interface SqlTool {
  readonly target: SqlTarget;
  /** Intents the tools file allows; absent: all. */
  readonly allowedIntents?: readonly Intent[];
  /** Intent the tools file annotates it with (Decision §7). */
  readonly annotatedIntent?: Intent;
}

/** A tool of our own, which is called with something else than a statement. */
export interface OwnTool {
  readonly target: StepTarget;
  /** The one intent it is called with. */
  readonly intent: Intent;
  /** Why it cannot be called with this; undefined when it can. */
  refusal(template: string): string | undefined;
}

/** Which tool a name stands for (Decision §1). */
export interface ToolRegistry {
  /** @returns `undefined` when the name is not listed and unknown names are refused. */
  resolve(toolName: string): SqlTool | OwnTool | undefined;
  /** What steps remember by this name, or `undefined` when it is gone from the configuration. */
  target(name: string): SqlTarget | StepTarget | undefined;
}

/** A step that changes a schema, and who has it run. */
export interface SchemaStep {
  readonly ref: StepRef;
  readonly dataSource: string;
  /** User, agent or session. */
  readonly author: string;
}

/**
 * The history of the data sources' schemas: a commit for each step that changes one (Decision §15).
 * Errors: `STORE_UNAVAILABLE` when it cannot be kept now.
 */
export interface SchemaJournal {
  /** Records what others have changed, so that the step's commit holds what the step does. */
  before(step: SchemaStep): Promise<void>;
  /** Records the schema as it is after the step; nothing when it is recorded. */
  after(step: SchemaStep): Promise<void>;
}

/** A plan about to be stored. */
export interface NewPlan {
  readonly ref: PlanRef;
  readonly sessionId: string;
  readonly name: string;
  readonly description: string;
  readonly steps: readonly PreparedStep[];
  readonly createdAtMs: number;
  readonly deadlineMs: number;
  readonly idempotency?: {
    readonly key: string;
    /** SHA-256 of the request, hex. */
    readonly requestHash: string;
  };
}

/** What asking for a step came to. */
export type ClaimResult =
  | {
      readonly kind: "claimed";
      readonly attempt: number;
      readonly step: PreparedStep;
      readonly sessionId: string;
      /** When its plan must be done, ms since the epoch. */
      readonly deadlineMs: number;
      /** Of every step the statement refers to, by step id. */
      readonly outputs: ReadonlyMap<string, StepOutput>;
    }
  /** Somebody's attempt is under way. */
  | { readonly kind: "running" }
  /** It had finished: the stored result. */
  | { readonly kind: "finished"; readonly execution: StepExecution }
  | { readonly kind: "refused"; readonly refusal: ClaimRefusal };

/** What ending an attempt came to. */
export type FinishResult =
  /** The step is over, with this result. */
  | { readonly kind: "ended"; readonly execution: StepExecution }
  /** The step may be claimed again: the attempt was retried or released. */
  | { readonly kind: "pending" }
  /** The claim was lost; nothing was changed. */
  | { readonly kind: "fenced" };

/** A running step whose owner is gone. */
export interface AbandonedStep {
  readonly attempt: AttemptRef;
  readonly step: PreparedStep;
  readonly sessionId: string;
}
