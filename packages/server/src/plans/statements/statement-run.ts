import type { Caller } from "@steward/kernel/caller.js";
import type { Intent, StatementGrant, TouchedData } from "../../governance/index.js";
import type { SchemaTableDelta } from "../plan.js";
import type { AttemptRef } from "../ports.js";
import type { SqlValue } from "./sql-value.js";
import type { ColumnType } from "./step-output.js";

/** One statement to run on a data source, or one call of a tool. */
export interface StatementRequest {
  /**
   * Exactly one statement in the target's dialect; every value in it is a parameter `?1`, `?2`….
   * For a tool that takes no SQL, its arguments as a JSON template.
   */
  readonly sql: string;
  readonly binds: readonly SqlValue[];
  /** The engine itself refuses any operation that this intent does not cover. */
  readonly intent: Intent;
  /** Tables whose schema is compared before and after, beside those that the statement touches. */
  readonly schemaTableHints: readonly string[];
  /**
   * Maximum number of rows that it may change; absent: the target's limit, which always applies.
   */
  readonly rowsChangedMax?: number | undefined;
  /**
   * Whether it may change rows that the database does not count, as far as `rowsChangedMax` is absent;
   * absent: no.
   */
  readonly mayChangeUncounted?: boolean | undefined;
  /** Time limit for the wait for its turn, in ms. */
  readonly waitMs: number;
  /** Time limit from its turn on, in ms. */
  readonly timeoutMs: number;
  /** A write stores this reference in the target, in the same transaction (Decision §3). */
  readonly attempt: AttemptRef;
  /** The caller for whom it runs. */
  readonly caller: Caller;
  /**
   * Decides based on the touched data that the engine reports; absent: no policy depends on that
   * data. A data source calls it before the statement takes effect, and runs the statement only if
   * the touched data stay the same.
   * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`; `run` then throws that error.
   */
  readonly permit?: ((touched: TouchedData) => Promise<StatementGrant>) | undefined;
  /**
   * Called right before the COMMIT of a write, which is rolled back when it throws. Only a data source that commits
   * in this process calls it; the others are stopped by their signal.
   * @throws StatementError `aborted` when the statement may not take effect any more.
   */
  readonly confirm?: (() => undefined | Promise<undefined>) | undefined;
}

export interface StatementResult {
  /** Returned rows or, for a write without RETURNING, changed rows. */
  readonly rowCount: number;
  /** JSON text: an array of row objects, cut to the row and byte limits (Decisions §4 and §5). */
  readonly outputJson: string;
  /** Rows of `rowCount` within the limits; fewer than `rowCount` when `outputJson` was cut. */
  readonly rowsKept: number;
  /** True when counting stopped at `rowCount` although there are more rows. */
  readonly rowCountIsLowerBound: boolean;
  /** Types of the columns that the JSON alone does not tell (Decision §5). */
  readonly columnTypes: readonly ColumnType[];
  readonly schemaDeltas: readonly SchemaTableDelta[];
  /** More sentences for the LLM; absent: none. */
  readonly hints?: readonly string[];
}

/** The reason why a statement failed. */
export type StatementFailureReason =
  /** The engine refuses the statement permanently: syntax, unknown table, constraint. */
  | "statement"
  /** The engine refuses it under the declared intent. */
  | "intent"
  /** It exceeded its time limit; it was stopped and its transaction rolled back. */
  | "timeout"
  /** The statement waited too long for its turn and was not run. */
  | "waited"
  /** The signal was aborted; it was stopped and its transaction rolled back. */
  | "aborted"
  /** The statement had no effect, and a retry may succeed (SQLITE_BUSY, 40001, 40P01). */
  | "rolled_back"
  /** Unknown whether it took effect: call `settle`. */
  | "connection"
  /** Unknown whether it took effect, and nobody can ever tell; it is not run again automatically. */
  | "unknown";

/** Thrown by a {@link SqlTarget}. `message` is for the agent and never contains values. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly reason: StatementFailureReason;
  /** Sentences that help to repair the statement, such as similar names. */
  readonly hints: readonly string[];
  /** Whether its time limit ended it, also when it is unknown whether it took effect. */
  readonly isOverTime: boolean;

  constructor(
    reason: StatementFailureReason,
    message: string,
    options: {
      readonly hints?: readonly string[];
      readonly cause?: unknown;
      readonly isOverTime?: boolean;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.hints = options.hints ?? [];
    this.isOverTime = reason === "timeout" || options.isOverTime === true;
  }
}

/** A statement to describe, which is not run. */
export interface StatementToDescribe extends Pick<
  StatementRequest,
  "sql" | "intent" | "caller" | "waitMs" | "timeoutMs"
> {
  /** How many parameters it has; their values are not known yet. */
  readonly parameterCount: number;
  /** For the decision whether a statement may run: no estimate is wanted. */
  readonly forDecision?: DescriptionForDecision;
}

/** What is known when a statement is about to run. */
export interface DescriptionForDecision {
  readonly binds: readonly SqlValue[];
  /** Whether the last description is good enough, because the run is decided on again. */
  readonly mayBeKnown: boolean;
}

/** A database's description of a statement, which it gives without running the statement. */
export interface DescribedStatement {
  readonly touched: TouchedData;
  /** The planner's estimate; absent where the database makes none. */
  readonly estimate?: StatementEstimate;
}

export interface StatementEstimate {
  /** Rows that the statement returns or, for a write without RETURNING, changes. */
  readonly rows: number;
  /** In the planner's own unit: on PostgreSQL the cost of reading one page sequentially. */
  readonly cost: number;
}
