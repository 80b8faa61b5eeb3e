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

/** Schema of {@link StepError}. */
export const stepErrorSchema: z.ZodType<StepError> = z
  .object({ code: z.enum(ERROR_CODES), message: z.string() })
  .meta({ id: "StepError", description: "Why a step failed" });

const stepResultSchema = z
  .object({
    step_id: z.string(),
    status: z.enum(["completed", "failed", "cancelled"]),
    row_count: z.int().describe("Rows the step produced"),
    executed_at: z.string().meta({ format: "date-time" }),
    attempt: z.int().describe("Which attempt this was, from 1"),
    error: stepErrorSchema.exactOptional(),
  })
  .meta({ id: "StepResult", description: "What running the step came to" });

const schemaTableDeltaSchema = z
  .object({
    table_name: z.string(),
    operation: z.enum(["NEW", "MODIFIED", "REMOVED"]),
    table_def_json: z
      .string()
      .describe("JSON text: columns, types, keys, foreign keys and indexes of the table"),
  })
  .meta({ id: "SchemaTableDelta", description: "How one table's schema differs after the step" });

const llmContextUpdateSchema = z
  .object({
    plan_id: z.string(),
    step_id: z.string(),
    tool_output_json: z.string().describe("JSON text: an array of row objects"),
    schema_additions: z.array(schemaTableDeltaSchema),
    augmentation_hints: z.array(z.string()).describe("Sentences for the system prompt"),
  })
  .meta({
    id: "LlmContextUpdate",
    description: "To be handed to the LLM before it chooses its next step",
  });

/** Schema of {@link StepExecution}. */
export const stepExecutionSchema: z.ZodType<StepExecution> = z
  .object({
    step_result: stepResultSchema,
    llm_context_update: llmContextUpdateSchema,
    replayed: z
      .boolean()
      .describe("The step had finished before this call: this is its stored result, nothing ran"),
  })
  .meta({
    id: "StepExecution",
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
