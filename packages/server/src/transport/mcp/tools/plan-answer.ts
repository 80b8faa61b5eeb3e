import * as z from "zod";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_DEFAULT, LLM_ROWS_MAX } from "../../limits.js";
import { ERROR_CODES } from "@steward/protocol";
import {
  ON_FAILURE,
  PLAN_STATUSES,
  PLAN_WAIT_REASONS,
  STEP_STATUSES,
  type OnFailure,
  type PlanStatus,
  type StepStatus,
} from "@steward/operations";
import type {
  PlanRecord,
  PlanSummary,
  PlanWaitReason,
  StepDetail,
  StepError,
  StepRecord,
} from "../../../plans/index.js";
import { present } from "../../../kernel/present.js";
import { pageWithin } from "../../paging/page-within.js";
import { correctionOfStep } from "../../correction.js";
import { correctingCall, readStepOn } from "./correcting-call.js";
import { nextOffset } from "./fields.js";
import { inColumns, rowsOfStep, type RowsRequest } from "./step-answer.js";

/**
 * Maximum number of failed steps for which an answer names the correcting call. An LLM corrects one
 * step at a time.
 */
const CORRECTIONS_MAX = 3;

/** A plan without its steps, as the LLM reads it. */
export interface PlanSummaryAnswer {
  readonly plan_id: string;
  readonly status: PlanStatus;
  readonly name: string;
  readonly description: string;
  readonly session_id: string;
  readonly created_at: string;
  readonly finished_at?: string | undefined;
}

/** A step of a plan, as the LLM reads it. */
export interface PlanStepAnswer {
  readonly step_id: string;
  readonly name: string;
  readonly status: StepStatus;
  readonly intent: string;
  readonly data_source?: string | undefined;
  readonly timeout_ms?: number | undefined;
  readonly depends_on: readonly string[];
  readonly row_count?: number | undefined;
  readonly max_rows?: number | undefined;
  readonly max_bytes?: number | undefined;
  readonly wait_reason?: string | undefined;
  /** The field is not named `error`, because that name would mark the whole call as failed. */
  readonly failure?: StepError | undefined;
  /** The statement, the tool and the rows are shown where one step was asked for. */
  readonly query_template?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A plan, as the LLM reads it. */
export interface PlanAnswer extends PlanSummaryAnswer {
  readonly steps: readonly PlanStepAnswer[];
  readonly ready_steps: readonly string[];
  readonly on_failure?: OnFailure | undefined;
  readonly wait_reason?: PlanWaitReason | undefined;
  readonly revision?: number | undefined;
  readonly hints: readonly string[];
  readonly next_offset?: number | undefined;
}

const summaryShape = {
  plan_id: z.string().describe("Id of the plan"),
  status: z.enum(PLAN_STATUSES).describe("Status of the plan"),
  name: z.string().describe("Name of the plan"),
  description: z.string().describe("Purpose of the plan"),
  session_id: z.string().describe("Session that the plan belongs to; empty: none"),
  created_at: z.string().describe("When it was submitted, in UTC"),
  finished_at: z.string().optional().describe("When it ended, in UTC; absent until then"),
};

export const planSummarySchema: z.ZodType<PlanSummaryAnswer> = z.object(summaryShape);

const planStepSchema = z.object({
  step_id: z.string().describe("Id of the step"),
  name: z.string().describe("Name of the step"),
  status: z.enum(STEP_STATUSES).describe("Status of the step"),
  intent: z.string().describe("What the step may do"),
  data_source: z.string().optional().describe("The database, or the tool, that it runs on"),
  timeout_ms: z.int().optional().describe("Its own time limit in ms; absent: none"),
  depends_on: z.array(z.string()).readonly().describe("Steps that must complete first"),
  row_count: z.int().optional().describe("Rows that it returned or changed"),
  max_rows: z.int().optional().describe("Rows that an answer shows, unless asked otherwise"),
  max_bytes: z.int().optional().describe("Bytes of rows that an answer shows"),
  wait_reason: z.string().optional().describe("Why a step that could run does not"),
  failure: z
    .object({ code: z.enum(ERROR_CODES), message: z.string() })
    .optional()
    .describe("Why it failed; absent when it did not"),
  query_template: z.string().optional().describe("Its statement; only with step_id"),
  tool_name: z.string().optional().describe("The tool that runs it; only with step_id"),
  rows: z
    .array(z.record(z.string(), z.unknown()))
    .readonly()
    .optional()
    .describe("The rows of this page; only with step_id, and when it has completed"),
});

/** Output field of tools that show a plan. */
export const readySteps: z.ZodReadonly<z.ZodArray<z.ZodString>> = z
  .array(z.string())
  .readonly()
  .describe("Steps that execute_step can run now, in the order submitted");

export const planAnswerSchema: z.ZodType<PlanAnswer> = z.object({
  ...summaryShape,
  steps: z.array(planStepSchema).readonly().describe("The steps, in the order submitted"),
  ready_steps: readySteps,
  on_failure: z
    .enum(ON_FAILURE)
    .optional()
    .describe("pause: a failed step waits for its correction; fail: it ends the plan"),
  wait_reason: z
    .enum(PLAN_WAIT_REASONS)
    .optional()
    .describe(
      "Why no step runs or can be executed. awaiting_steps: all have completed, and the plan waits for append_steps or finish_plan",
    ),
  revision: z.int().optional().describe("1 as submitted; every change of the steps adds one"),
  hints: z.array(z.string()).readonly().describe("Sentences to consider before the next call"),
  next_offset: nextOffset,
});

/** A plan for the LLM, with the steps from the offset on that fit. */
export function planAnswer(plan: PlanRecord, offset = 0): PlanAnswer {
  const { items, nextOffset: next } = pageWithin(plan.steps.map(planStep), {
    offset,
    itemsMax: LLM_ROWS_MAX,
    bytesMax: LLM_ANSWER_BYTES_MAX,
  });
  return {
    ...planSummary(plan),
    steps: items,
    ready_steps: readyStepsOf(plan),
    ...present({
      on_failure: plan.onFailure,
      wait_reason: plan.waitReason,
      revision: plan.revision,
      next_offset: next,
    }),
    hints: corrections(plan),
  };
}

/** A plan with one of its steps for the LLM, with the statement of the step and a page of its rows. */
export function planAnswerOfStep(
  plan: PlanRecord,
  { record, prepared, execution }: StepDetail,
  asked: RowsRequest,
): PlanAnswer {
  const page =
    execution?.stepResult.status === "completed"
      ? rowsOfStep(execution, asked, readStepOn)
      : undefined;
  const { queryTemplate, toolName } = prepared;
  const { next_offset: _ofSteps, steps: _steps, ...answer } = planAnswer(plan);
  return {
    ...answer,
    steps: [
      {
        ...planStep(record),
        query_template: queryTemplate,
        tool_name: toolName,
        ...present({ rows: page?.rows }),
      },
    ],
    hints: [...answer.hints, ...(page?.hints ?? [])],
    ...present({ next_offset: page?.next_offset }),
  };
}

/** A plan in few tokens: the columns of rows are named once. */
export function planText({ steps, ...plan }: PlanAnswer): string {
  const shown = steps.map((step) =>
    step.rows === undefined ? step : { ...step, ...inColumns(step.rows) },
  );
  return JSON.stringify({ ...plan, steps: shown });
}

/** A plan without its steps, for the LLM. */
export function planSummary(plan: PlanSummary): PlanSummaryAnswer {
  return {
    plan_id: plan.planId,
    status: plan.status,
    name: plan.name,
    description: plan.description,
    session_id: plan.sessionId,
    created_at: plan.createdAt,
    ...present({ finished_at: plan.finishedAt }),
  };
}

/** Texts with the calls that correct the failed steps of a plan that can continue. */
function corrections({ planId, status, steps }: PlanRecord): readonly string[] {
  if (status !== "running" && status !== "failed") return [];
  return steps
    .filter((step) => step.status === "failed")
    .slice(0, CORRECTIONS_MAX)
    .map(({ stepId, error }) =>
      correctionOfStep({ stepId, error }, correctingCall(planId, stepId)),
    );
}

function planStep(step: StepRecord): PlanStepAnswer {
  return {
    step_id: step.stepId,
    name: step.name,
    status: step.status,
    intent: step.intent,
    depends_on: step.dependsOn,
    ...present({
      data_source: step.dataSource,
      timeout_ms: step.timeoutMs,
      row_count: step.rowCount,
      max_rows: step.maxRows,
      max_bytes: step.maxBytes,
      wait_reason: step.waitReason,
      failure: step.error,
    }),
  };
}

/** Ids of the first steps of a plan that can be executed now. */
export function readyStepsOf({ status, steps }: PlanRecord): readonly string[] {
  if (status !== "pending" && status !== "running") return [];
  const completed = new Set(
    steps.filter((step) => step.status === "completed").map(({ stepId }) => stepId),
  );
  return steps
    .filter((step) => step.status === "pending")
    .filter(({ dependsOn }) => dependsOn.every((id) => completed.has(id)))
    .slice(0, LLM_ROWS_DEFAULT)
    .map(({ stepId }) => stepId);
}
