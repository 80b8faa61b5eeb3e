import type { Billing } from "./billing.js";
import type { Catalog } from "./catalog.js";
import type { Memory } from "./memory.js";

/**
 * The operations of a scenario over any protocol; answers have REST's member names. The calls about
 * plans are written from the documents, as a user would; the others take their places on a wire from
 * the operations.
 */
export interface Client {
  readonly wire: Wire;
  /** Usage, prices and budgets. */
  readonly billing: Billing;
  readonly memory: Memory;
  readonly catalog: Catalog;
  /** The same server for another caller. */
  as(identity: Identity): Client;
  submit(plan: PlanInput, idempotencyKey?: string): Promise<Submitted>;
  getPlan(planId: string): Promise<PlanView>;
  execute(planId: string, stepId: string, page?: PageInput): Promise<Execution>;
  cancel(planId: string, reason?: string): Promise<Submitted>;
  retry(planId: string): Promise<Submitted>;
  append(planId: string, steps: StepsInput, idempotencyKey?: string): Promise<Revised>;
  /** What the plan would do. */
  check(plan: PlanInput): Promise<PlanCheck>;
  revise(
    planId: string,
    stepId: string,
    changes: StepChanges,
    idempotencyKey?: string,
  ): Promise<Revised>;
  finish(planId: string): Promise<Submitted>;
  fork(planId: string, fork: ForkInput, idempotencyKey?: string): Promise<Revised>;
  list(query: ListQuery): Promise<Page>;
  /** The plan's events after a sequence, until the server ends the stream. */
  events(planId: string, afterSequence?: number): AsyncGenerator<EventView, void>;
}

export type Wire = "grpc" | "rest";

/** Identity headers, or metadata, by name. */
export type Identity = Readonly<Record<string, string>>;

export interface PlanInput {
  readonly session_id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly on_failure?: string;
  readonly keep_open?: boolean;
  readonly steps: readonly StepInput[];
}

export interface StepInput {
  readonly id: string;
  readonly name?: string;
  readonly tool_name?: string;
  readonly data_source?: string;
  readonly timeout_ms?: number;
  readonly intent?: string;
  readonly query_template?: string;
  readonly depends_on?: readonly string[];
  readonly schema_table_hints?: readonly string[];
  readonly max_rows?: number;
  readonly max_bytes?: number;
}

/** Which rows of an output are asked for. */
export interface PageInput {
  readonly offset?: number;
  readonly max_rows?: number;
  readonly max_bytes?: number;
}

export interface StepsInput {
  readonly steps: readonly StepInput[];
  readonly expected_revision?: number;
}

export interface ForkInput {
  readonly step_id?: string;
  readonly steps?: readonly StepInput[];
}

export interface StepChanges extends Partial<Omit<StepInput, "id">> {
  readonly expected_revision?: number;
}

export interface PlanCheck {
  readonly verdict: string;
  readonly aau: number;
  readonly cost_usd: number;
  readonly steps: readonly {
    readonly step_id: string;
    readonly verdict: string;
    readonly aau: number;
    readonly reason?: string;
    readonly policies: readonly { readonly id: string }[];
    readonly problem?: string;
    readonly tables: readonly { readonly name: string; readonly reads: readonly string[] }[];
  }[];
}

export interface Revised extends Submitted {
  readonly revision: number;
}

export interface Submitted {
  readonly plan_id: string;
  readonly status: string;
}

export interface PlanSummary extends Submitted {
  readonly session_id: string;
  readonly name: string;
  readonly description: string;
  readonly created_at: string;
  readonly started_at?: string;
  readonly finished_at?: string;
}

export interface PlanView extends PlanSummary {
  readonly on_failure: string;
  /** Absent over REST unless the plan stays open; false over gRPC. */
  readonly keep_open?: boolean;
  /** Absent over REST, and empty over gRPC, unless the plan waits for further steps. */
  readonly wait_reason?: string;
  /** Empty over gRPC, and absent over REST, unless the plan is a fork. */
  readonly forked_from?: string;
  readonly revision: number;
  readonly steps: readonly StepView[];
}

export interface StepView {
  readonly step_id: string;
  readonly status: string;
  readonly name: string;
  readonly tool_name: string;
  readonly intent: string;
  readonly depends_on: readonly string[];
  readonly attempt: number;
  readonly revision: number;
  readonly wait_reason?: string;
  readonly row_count?: number;
  readonly executed_at?: string;
  readonly error?: StepError;
}

export interface StepError {
  readonly code: string;
  readonly message: string;
}

/** The result of an execution, whether in the body or as a status. */
export interface Execution {
  readonly success: boolean;
  /** For REST the HTTP status; for gRPC OK, because failures are in the body. */
  readonly status: string;
  readonly step_result?: StepResult;
  readonly llm_context_update?: ContextUpdate;
  readonly error_code: string;
  readonly error_message: string;
  readonly replayed: boolean;
}

export interface StepResult {
  readonly step_id: string;
  readonly status: string;
  readonly row_count: number;
  readonly executed_at: string;
  readonly attempt: number;
  readonly error?: StepError;
}

export interface ContextUpdate {
  readonly plan_id: string;
  readonly step_id: string;
  readonly tool_output_json: string;
  readonly schema_additions: readonly TableDelta[];
  readonly augmentation_hints: readonly string[];
  /** Absent on the last page, where gRPC has 0. */
  next_offset?: number;
}

export interface TableDelta {
  readonly table_name: string;
  readonly operation: string;
  readonly table_def_json: string;
}

export interface EventView {
  readonly plan_id: string;
  readonly event_type: string;
  readonly payload_json: string;
  readonly timestamp: string;
  readonly sequence: number;
}

export interface ListQuery {
  readonly status?: string;
  readonly session_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface Page {
  readonly plans: readonly PlanSummary[];
  readonly next_cursor?: string;
}

/** A call that the server refused. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** For REST the HTTP status, for gRPC the name of the code. */
  readonly status: string;
  readonly code: string;
  readonly details: readonly { readonly field: string; readonly reason: string }[];
  /** The retry delay: for REST from the header, for gRPC from RetryInfo; 0 when absent. */
  readonly retryAfterS: number;

  constructor(told: Omit<Refusal, keyof Error> & Pick<Error, "message">) {
    super(told.message);
    this.status = told.status;
    this.code = told.code;
    this.details = told.details;
    this.retryAfterS = told.retryAfterS;
  }
}
