import type { ErrorCode } from "@steward/protocol";
import type { Intent, IntentSource, StatementClass } from "../governance/index.js";
import type { RecordedCaller } from "@steward/kernel/caller.js";
import type { CompiledStatement } from "./statements/compiled-statement.js";

/** The status of a plan (Decision §3). `completed` and `cancelled` are final. */
export type PlanStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

/** The status of a step (Decision §3). */
export type StepStatus = "pending" | "running" | "completed" | "failed" | "skipped" | "cancelled";

/**
 * The reason why a step waits (Decision §3). A step that waits for an approval or its next attempt is `pending`; one
 * that waits for a revision has `failed`.
 */
export type WaitReason = "awaiting_approval" | "retry_backoff" | "awaiting_revision";

/** The reason why a plan waits: that of a step, or all its steps have completed and it stays open for more. */
export type PlanWaitReason = WaitReason | "awaiting_steps";

/**
 * Effect of a failed step on its plan: the plan ends, or it waits for a revision (Decision §19).
 */
export type OnFailure = "fail" | "pause";

/** How much of a step's output an answer hands to the LLM, unless its caller asks for more or less. */
export interface OutputLimits {
  /** Absent: all rows. */
  readonly maxRows?: number;
  /** Bytes of the rows as JSON; absent: all. */
  readonly maxBytes?: number;
}

/** One step as submitted (Contract §2.2). */
export interface StepDefinition extends OutputLimits {
  readonly id: string;
  readonly name: string;
  readonly toolName: string;
  /** The data source it runs on; absent or empty: that of its tool. */
  readonly dataSource?: string;
  /** One of the intents, or empty to derive it (Decision §7). */
  readonly intent: string;
  /** Time limit of one attempt, in ms, up to the operator's; absent: the operator's. */
  readonly timeoutMs?: number;
  readonly queryTemplate: string;
  readonly dependsOn: readonly string[];
  readonly schemaTableHints: readonly string[];
}

/** A plan as submitted (Contract §2.1, without its session). */
export interface PlanDefinition {
  readonly name: string;
  readonly description: string;
  /** Absent: `fail`. */
  readonly onFailure?: OnFailure;
  /** Whether the plan stays open for further steps once all its steps have completed; absent: no. */
  readonly keepOpen?: boolean;
  readonly steps: readonly StepDefinition[];
}

/** A validated step: exactly the statement that the guard checked will run. */
export interface PreparedStep extends Omit<StepDefinition, "intent" | "dataSource"> {
  /** Position in the submitted plan, from 0. */
  readonly index: number;
  readonly intent: Intent;
  readonly intentSource: IntentSource;
  /**
   * The effect of the statement, as found at submission. The step's intent covers this effect, and
   * may cover more.
   */
  readonly statementClass: StatementClass;
  /** Everything that the statement does, when that is more than its class. */
  readonly kinds?: readonly Intent[] | undefined;
  /** Name of the data source it runs on. */
  readonly dataSource: string;
  /**
   * What chose the data source: the step names it, or nothing does and there are several. Absent: its
   * tool, or there is only one.
   */
  readonly dataSourceBy?: "step" | "default" | undefined;
  readonly statement: CompiledStatement;
  /** The plan's revision that appended or revised the step; absent: the step is as submitted. */
  readonly revision?: number;
  /**
   * Those who wrote the statement: whoever submitted, appended or forked it, or revised more than the name. Each of them
   * must be permitted to run it. Absent: the step was stored without them.
   */
  readonly writers?: readonly RecordedCaller[];
  /**
   * User ids of authors who are no writers: of those who wrote the plan before its fork, in the fork's first
   * step, and of whoever gave the step another name.
   */
  readonly authors?: readonly string[];
}

/** The members of a step that a revision changes. Absent members stay as they are. */
export type StepChanges = Partial<Omit<StepDefinition, "id">>;

/** A change of a plan's steps that was made (Decision §19). */
export interface PlanRevised {
  readonly planId: string;
  readonly status: PlanStatus;
  /** The plan's revision with the change. */
  readonly revision: number;
}

/** The reason why a step failed: a message for the agent and a code for programs. */
export interface StepError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The public record of a plan and its steps (Contract §2.3, Decision §9 additions). */
export interface PlanRecord {
  readonly planId: string;
  readonly orgId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly description: string;
  readonly status: PlanStatus;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  /** Absent: the orchestrator changes no plans. */
  readonly onFailure?: OnFailure;
  /** Whether it stays open once all its steps have completed; absent: no. */
  readonly keepOpen?: boolean;
  /** Why it does not go on; absent: a step runs or can be executed, or the plan is over. */
  readonly waitReason?: PlanWaitReason;
  /** The plan that it was forked from; absent: none. */
  readonly forkedFrom?: string;
  /** 1 as submitted; each change of the steps adds one. */
  readonly revision?: number;
  /** In the order submitted, then in the order appended. */
  readonly steps: readonly StepRecord[];
}

/** One step of a {@link PlanRecord}. */
export interface StepRecord extends OutputLimits {
  readonly stepId: string;
  readonly name: string;
  readonly toolName: string;
  /** The data source, or the tool, that it runs on; absent: the orchestrator does not tell. */
  readonly dataSource?: string;
  readonly intent: string;
  /** Its own time limit of one attempt, in ms; absent: none. */
  readonly timeoutMs?: number;
  readonly dependsOn: readonly string[];
  readonly status: StepStatus;
  /** Attempts so far; 0 before the first. */
  readonly attempt: number;
  /** The plan's revision in which the step got its present definition. */
  readonly revision?: number;
  readonly rowCount?: number;
  /** RFC 3339, UTC: the end of its last attempt. */
  readonly executedAt?: string;
  readonly waitReason?: WaitReason;
  readonly error?: StepError;
}

/** The result of running one step (Contract §2.4). */
export interface StepResult {
  readonly stepId: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly rowCount: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly executedAt: string;
  readonly attempt: number;
  readonly error?: StepError;
}

/** The change of one table's schema by a step (Decision §11). */
export interface SchemaTableDelta {
  readonly tableName: string;
  readonly operation: "NEW" | "MODIFIED" | "REMOVED";
  /**
   * JSON text: columns, types, keys, foreign keys, indexes; of a removed table, the last known
   * definition.
   */
  readonly tableDefJson: string;
}

/** Input for the LLM before it chooses its next step (Contract §2.5). */
export interface LlmContextUpdate {
  readonly planId: string;
  readonly stepId: string;
  /** JSON text: an array of row objects (Decision §5). */
  readonly toolOutputJson: string;
  readonly schemaAdditions: readonly SchemaTableDelta[];
  /** Short plain sentences for the system prompt (Decision §11). */
  readonly augmentationHints: readonly string[];
}

/** The result of executing a step (Contract §4.3). */
export interface StepExecution {
  readonly stepResult: StepResult;
  /** It contains the whole output. The transports cut the output to the requested size. */
  readonly llmContextUpdate: LlmContextUpdate;
  /** Absent: the step names none. */
  readonly outputLimits?: OutputLimits;
  /**
   * Whether this is the stored result of a step that had already finished, byte for byte (Decision
   * §3).
   */
  readonly replayed: boolean;
}
