import * as z from "zod";
import { ERROR_CODES, type ErrorCode } from "../error-codes.js";

/** Where a step stands (Decision §3). */
export const STEP_STATUSES = [
  "pending",
  "running",
  "completed",
  "failed",
  "skipped",
  "cancelled",
] as const;

/** One of {@link STEP_STATUSES}. */
export type StepStatus = (typeof STEP_STATUSES)[number];

/** Why a step failed. */
export interface StepError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What running one step came to (Contract §2.4). */
export interface StepResult {
  readonly step_id: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly row_count: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly executed_at: string;
  /** From 1. */
  readonly attempt: number;
  /** Set when the step ran and failed. */
  readonly error?: StepError;
}

/** How one table's schema differs after a step (Decision §11). */
export interface SchemaTableDelta {
  readonly table_name: string;
  readonly operation: "NEW" | "MODIFIED" | "REMOVED";
  /** JSON text: columns, types, keys, foreign keys, indexes. */
  readonly table_def_json: string;
}

/** What is handed to the LLM before it chooses its next step (Contract §2.5). */
export interface LlmContextUpdate {
  readonly plan_id: string;
  readonly step_id: string;
  /** JSON text: an array of row objects. */
  readonly tool_output_json: string;
  readonly schema_additions: readonly SchemaTableDelta[];
  readonly augmentation_hints: readonly string[];
}

/** The answer to executing a step (Contract §4.2). */
export interface StepExecution {
  readonly step_result: StepResult;
  readonly llm_context_update: LlmContextUpdate;
  /** The step had finished before this call: the stored result, nothing ran (Decision §3). */
  readonly replayed: boolean;
}

export const stepErrorSchema: z.ZodType<StepError> = z
  .object({
    code: z.enum(ERROR_CODES).describe("The reason, as a code for programs"),
    message: z.string().describe("What went wrong, for people and LLMs"),
  })
  .meta({ id: "StepError", description: "Why a step failed" });

const stepResultSchema = z
  .object({
    step_id: z.string().describe("Id of the step"),
    status: z.enum(["completed", "failed", "cancelled"]).describe("How the attempt ended"),
    row_count: z.int().describe("Rows the step produced"),
    executed_at: z
      .string()
      .meta({ format: "date-time" })
      .describe("When the attempt ended, in UTC"),
    attempt: z.int().describe("Number of the attempt, from 1"),
    error: stepErrorSchema.exactOptional().describe("Why it failed; absent when it did not"),
  })
  .meta({ id: "StepResult", description: "Result of the step" });

const schemaTableDeltaSchema = z
  .object({
    table_name: z.string().describe("Name of the table"),
    operation: z
      .enum(["NEW", "MODIFIED", "REMOVED"])
      .describe("Whether the table was created, altered or dropped"),
    table_def_json: z
      .string()
      .describe("JSON text: columns, types, keys, foreign keys and indexes of the table"),
  })
  .meta({ id: "SchemaTableDelta", description: "How one table's schema differs after the step" });

const llmContextUpdateSchema = z
  .object({
    plan_id: z.string().describe("Id of the plan"),
    step_id: z.string().describe("Id of the step"),
    tool_output_json: z.string().describe("JSON text: an array of row objects"),
    schema_additions: z
      .array(schemaTableDeltaSchema)
      .describe("Tables whose schema differs after the step; empty when none does"),
    augmentation_hints: z.array(z.string()).describe("Sentences for the system prompt"),
  })
  .meta({
    id: "LlmContextUpdate",
    description: "What to pass to the LLM before it chooses the next step",
  });

export const stepExecutionSchema: z.ZodType<StepExecution> = z
  .object({
    step_result: stepResultSchema.describe("Result of the attempt"),
    llm_context_update: llmContextUpdateSchema.describe(
      "What to pass to the LLM before it chooses the next step",
    ),
    replayed: z
      .boolean()
      .describe(
        "True when the step had finished before this call and the stored result is returned",
      ),
  })
  .meta({
    id: "StepExecution",
    description: "The answer to executing a step",
    examples: [
      {
        step_result: {
          step_id: "open_orders",
          status: "completed",
          row_count: 1,
          executed_at: "2026-03-01T09:30:00.000Z",
          attempt: 1,
        },
        llm_context_update: {
          plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
          step_id: "open_orders",
          tool_output_json: '[{"id":7,"total":125.5}]',
          schema_additions: [],
          augmentation_hints: [],
        },
        replayed: false,
      },
    ],
  });
