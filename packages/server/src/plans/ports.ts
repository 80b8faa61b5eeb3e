import type { ApprovedMigration } from "../approvals/index.js";
import type { Dialect, Intent, PlannedStatement } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { StepDefinition } from "./plan.js";
import type { CompiledStatement } from "./statements/compiled-statement.js";
import type { StatementPreview, StatementToPreview } from "./statements/statement-preview.js";
import type {
  DescribedStatement,
  StatementError,
  StatementRequest,
  StatementResult,
  StatementToDescribe,
} from "./statements/statement-run.js";

export {
  arrayTypeOf,
  elementTypeOf,
  isJsonType,
  POSTGRES,
  type PostgresType,
} from "./statements/postgres-types.js";
export { compileJsonTemplate, fillJsonTemplate } from "./statements/arguments/json-template.js";
export { argumentsTemplate, vettedStatement } from "./statements/arguments/vetted-statement.js";
export { quoted } from "./violation.js";
export type { ForkOrigin, ResultRef, TakenStep } from "./plan-state.js";
export type {
  PreviewedTable,
  RowChange,
  StatementPreview,
  StatementToPreview,
} from "./statements/statement-preview.js";
export type {
  ColumnType,
  OutputMetadata,
  PostgresColumnType,
  SqliteColumnType,
  StepOutput,
  StorageLetter,
} from "./statements/step-output.js";

export type { PostgresValue, SqliteValue, SqlValue } from "./statements/sql-value.js";
export {
  StatementError,
  type DescribedStatement,
  type StatementEstimate,
  type StatementFailureReason,
  type StatementRequest,
  type StatementResult,
  type StatementToDescribe,
} from "./statements/statement-run.js";
export type {
  AbandonedStep,
  AwaitedApproval,
  ClaimableStep,
  ClaimRequest,
  ClaimResult,
  FinishResult,
  NewPlan,
} from "./engine/transition-types.js";

/** Identifies one attempt of one step, in every database that the attempt touches. */
export interface AttemptRef extends StepRef {
  readonly attempt: number;
}

/** Identifies one step. */
export interface StepRef extends PlanRef {
  readonly stepId: string;
}

/** Identifies one plan within its organization. */
export interface PlanRef {
  readonly orgId: string;
  readonly planId: string;
}

/** A statement that ran for a caller, on which hints are given. */
export interface AdvisedStatement {
  readonly caller: Caller;
  readonly dataSource: string;
  readonly dialect: Dialect;
  readonly sql: string;
  /** Whether policies depend on the tables and columns that the statement touches. */
  readonly looksAtData: boolean;
}

/**
 * Tells agents what to correct. Hints name nothing that the caller may not read. A hint that cannot
 * be given is left out; giving hints never fails.
 */
export interface StepAdvisor {
  /** The error of a failed statement, for the caller. */
  afterFailure(asked: AdvisedStatement, failure: StatementError): Promise<AdvisedFailure>;

  /**
   * Hints that the result of a statement is probably not what was meant. Usually there are none, and
   * the answer is given at once.
   */
  afterResult(
    asked: AdvisedStatement,
    result: StatementResult,
  ): readonly string[] | Promise<readonly string[]>;
}

/** A failed statement as its caller is told of it. */
export interface AdvisedFailure {
  /** The data source's error, without names that the caller may not see. */
  readonly message: string;
  /** All hints, with those that the data source has given. */
  readonly hints: readonly string[];
}

/** The target of steps: a data source, a tool of the service, or a tool of another MCP server. */
export interface StepTarget {
  /** The name that a step stores. */
  readonly name: string;

  /**
   * Runs one statement and resolves when its effect is durable in the target. A write and its
   * marker commit together; running an attempt that already took effect returns the first result.
   * @throws StatementError, or the error of `permit`; never while the statement still runs.
   *   AppError `POLICY_DENIED` when the tool may not be called now: nothing ran, and the step can
   *   be requested again.
   */
  run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult>;

  /**
   * Determines finally whether a write took effect. `undefined` means that it did not, and that
   * this attempt never will, even if it is still in progress somewhere.
   * @param sql the statement of the attempt.
   * @throws StatementError `connection` when the target cannot be reached now; `unknown` when the
   *   target keeps no record of its calls.
   */
  settle(attempt: AttemptRef, sql: string): Promise<StatementResult | undefined>;

  /**
   * Tells the target that the attempt's result is durable in the plan store, so that it may delete
   * the attempt's marker.
   */
  forget(attempt: AttemptRef): void;

  /** Absent: the arguments of a call contain everything that it does. */
  readonly named?: NamedMigrations;
}

/** What the calls of a target do that their arguments only name. */
export interface NamedMigrations {
  /**
   * The migration that a call would apply; part of what a person approves.
   * @throws AppError when it cannot be told.
   */
  migrationOf(caller: Caller, sql: string): Promise<ApprovedMigration>;

  /**
   * What a call does to data sources, which policies are asked about too.
   * @returns undefined when the call will fail anyway.
   */
  statementOf(caller: Caller, sql: string): Promise<PlannedStatement | undefined>;
}

/**
 * A database that agents work on. It is never the one in which this service stores its own tables.
 */
export interface SqlTarget extends StepTarget, AsyncDisposable {
  readonly dialect: Dialect;

  /**
   * Describes a statement as the database would run it now. Nothing is changed, and parameters have no values.
   * @throws StatementError, for example when the statement names a table that does not exist.
   */
  describe(statement: StatementToDescribe, signal: AbortSignal): Promise<DescribedStatement>;

  /**
   * Runs a write that changes rows in a transaction that is always rolled back, and shows what it
   * changed. The write is held to its intent as in a run. While it runs, it holds the locks of a
   * run, so the data source applies a short time limit of its own.
   * @throws StatementError as `run` does; also when previews of the data source are switched off,
   * or when the statement changes something else than rows.
   */
  preview(statement: StatementToPreview, signal: AbortSignal): Promise<StatementPreview>;
}

/** A data source in which writes leave markers. */
export interface MarkedSource {
  /**
   * Deletes the results that writes of these plans have left in their markers. The plans must be over.
   * Fences stay, because an abandoned attempt may still be running somewhere.
   * @throws StatementError when the data source cannot be reached or written to now.
   */
  deleteMarkers(orgId: string, planIds: readonly string[]): Promise<void>;
}

/** A tool that is called with a statement, or with the parameters of its own. */
export interface SqlTool {
  readonly target: SqlTarget;
  /** Intents the tools file allows; absent: all. */
  readonly allowedIntents?: readonly Intent[];
  /** Whether nothing names the data source, though there are several. */
  readonly isByDefault?: true;
  /** Its own statement, of which a step gives only the parameters; absent: a step gives the statement. */
  readonly vetted?: Pick<JsonTool, "intent" | "compile">;
}

/** A tool that is called with a JSON object: of the service, or of another MCP server. */
export interface JsonTool {
  readonly target: StepTarget;
  /** The only intent that it accepts. */
  readonly intent: Intent;
  /**
   * Checks and compiles the arguments of a call.
   * @throws AppError `INVALID_PLAN`, `BAD_PLACEHOLDER` with the reason why they are invalid.
   */
  compile(template: string): CompiledStatement;
}

/** Why no tool runs a step, and the field of the step to correct. */
export interface ToolRefusal {
  readonly field: "tool_name" | "data_source";
  readonly refusal: string;
}

/** Finds the tools of steps (Decision §1). */
export interface ToolRegistry {
  resolve(step: Pick<StepDefinition, "toolName" | "dataSource">): SqlTool | JsonTool | ToolRefusal;
  /** Names of the data sources; the first one is the default. */
  readonly dataSources: readonly string[];
  /** The target that steps store under this name; `undefined` when it is no longer configured. */
  target(name: string): SqlTarget | StepTarget | undefined;
}

/** A tool call to be priced before it is made. */
export interface ToolCallToPrice {
  readonly toolName: string;
  readonly intent: Intent;
}

/** Weighs and prices tool calls before they are made. */
export interface ToolCallPricing {
  /** @returns one quote for each call, in their order. @throws AppError `STORE_UNAVAILABLE`. */
  quote(caller: Caller, calls: readonly ToolCallToPrice[]): Promise<readonly ToolCallQuote[]>;

  /**
   * @param sessionId the session that the calls would belong to.
   * @returns the budgets that do not cover these calls beside what is recorded by now; nothing is
   * reserved. @throws AppError `STORE_UNAVAILABLE`.
   */
  exceededBudgets(
    caller: Caller,
    sessionId: string,
    quotes: readonly ToolCallQuote[],
  ): Promise<readonly ExceededBudget[]>;
}

/** A budget that does not cover a plan. */
export interface ExceededBudget {
  /** `block`: calls beyond the budget are refused; `warn`: they run. */
  readonly action: "warn" | "block";
  /** One sentence with the remaining and the needed amount. */
  readonly reason: string;
}

/** The weight and the price of a tool call. */
export interface ToolCallQuote {
  /** Agentic activity units. */
  readonly aau: number;
  /** US dollars by the present prices; absent: no price applies. */
  readonly costUsd?: number;
}

/** A step that changes a schema, and its author. */
export interface SchemaStep {
  readonly ref: StepRef;
  readonly dataSource: string;
  /** User, agent or session. */
  readonly author: string;
}

/**
 * The history of the data sources' schemas: a commit for each step that changes a schema (Decision
 * §15). Errors: `STORE_UNAVAILABLE` when it cannot be recorded now.
 */
export interface SchemaJournal {
  /**
   * Records changes that were made outside of Steward, so that the step's commit contains only the
   * step's changes.
   */
  before(step: SchemaStep): Promise<void>;
  /** Records the schema after the step, unless it is already recorded. */
  after(step: SchemaStep): Promise<void>;
}

/** Whether an API key is unknown or revoked. Rejects with `STORE_UNAVAILABLE`. */
export type IsRevokedKey = (orgId: string, keyId: string) => Promise<boolean>;
