import type { ErrorCode } from "@steward/protocol";
import type { Intent, IntentSource, StatementClass } from "../governance/index.js";
import type { CompiledStatement } from "./statements/compiled-statement.js";

/** Where a plan stands (Decision §3). `completed` and `cancelled` are final. */
export type PlanStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

/** Where a step stands (Decision §3). */
export type StepStatus = "pending" | "running" | "completed" | "failed" | "skipped" | "cancelled";

/** Why a step that could run does not: it stays `pending` meanwhile (Decision §3). */
export type WaitReason = "awaiting_approval" | "retry_backoff";

/** One step as submitted (Contract §2.2). */
export interface StepDefinition {
  readonly id: string;
  readonly name: string;
  readonly toolName: string;
  /** One of the intents, or empty: derived (Decision §7). */
  readonly intent: string;
  readonly queryTemplate: string;
  readonly dependsOn: readonly string[];
  readonly schemaTableHints: readonly string[];
}

/** A plan as submitted (Contract §2.1, without its session). */
export interface PlanDefinition {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly StepDefinition[];
}

/** A step that passed validation: what the guard checked is exactly what will run. */
export interface PreparedStep extends Omit<StepDefinition, "intent"> {
  /** Position in the submitted plan, from 0. */
  readonly index: number;
  readonly intent: Intent;
  readonly intentSource: IntentSource;
  /** What its statement was found to do when it was submitted: its intent covers that, and may cover more. */
  readonly statementClass: StatementClass;
  /** Name of the data source it runs on. */
  readonly dataSource: string;
  readonly statement: CompiledStatement;
}

/** Why a step failed, in words for the agent and a code for the machine. */
export interface StepError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A plan and its steps as everybody may see them (Contract §2.3, Decision §9 additions). */
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
  /** In the order submitted. */
  readonly steps: readonly StepRecord[];
}

/** One step of a {@link PlanRecord}. */
export interface StepRecord {
  readonly stepId: string;
  readonly name: string;
  readonly toolName: string;
  readonly intent: string;
  readonly dependsOn: readonly string[];
  readonly status: StepStatus;
  /** Attempts so far; 0 before the first. */
  readonly attempt: number;
  readonly rowCount?: number;
  /** RFC 3339, UTC: when its last attempt ended. */
  readonly executedAt?: string;
  readonly waitReason?: WaitReason;
  readonly error?: StepError;
}

/** What running one step came to (Contract §2.4). */
export interface StepResult {
  readonly stepId: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly rowCount: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly executedAt: string;
  readonly attempt: number;
  readonly error?: StepError;
}

/** How one table's schema differs after a step (Decision §11). */
export interface SchemaTableDelta {
  readonly tableName: string;
  readonly operation: "NEW" | "MODIFIED" | "REMOVED";
  /** JSON text: columns, types, keys, foreign keys, indexes; the last known one when removed. */
  readonly tableDefJson: string;
}

/** What is handed to the LLM before it chooses its next step (Contract §2.5). */
export interface LlmContextUpdate {
  readonly planId: string;
  readonly stepId: string;
  /** JSON text: an array of row objects (Decision §5). */
  readonly toolOutputJson: string;
  readonly schemaAdditions: readonly SchemaTableDelta[];
  /** Short plain sentences for the system prompt (Decision §11). */
  readonly augmentationHints: readonly string[];
}

/** The pair that executing a step returns (Contract §4.3). */
export interface StepExecution {
  readonly stepResult: StepResult;
  readonly llmContextUpdate: LlmContextUpdate;
  /** The step had finished before this call: the stored result, byte for byte (Decision §3). */
  readonly replayed: boolean;
}
