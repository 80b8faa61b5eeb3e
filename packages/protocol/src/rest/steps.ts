import * as z from "zod";
import type { Message } from "./envelope.js";
import { ERROR_CODES } from "../error-codes.js";

/** Maximum number of rows that a step's output has. */
const OUTPUT_ROWS_MAX = 10_000;
/** Maximum size of a step's output, in bytes of JSON. */
const OUTPUT_BYTES_MAX = 2 * 1024 * 1024;
/** Least number of bytes to which a page of an output can be limited. */
const OUTPUT_PAGE_BYTES_MIN = 1024;

/** The statuses of a step (Decision §3). */
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

const stepErrorShape = {
  code: z.enum(ERROR_CODES).describe("The error code, for programs"),
  message: z.string().describe("What went wrong, for people and LLMs"),
};

/** The reason why a step failed. */
export interface StepError extends Message<typeof stepErrorShape> {}

export const stepErrorSchema: z.ZodType<StepError> = z
  .object(stepErrorShape)
  .meta({ id: "StepError", description: "Why a step failed" });

const stepResultShape = {
  step_id: z.string().describe("Id of the step"),
  status: z.enum(["completed", "failed", "cancelled"]).describe("How the attempt ended"),
  row_count: z.int().describe("Rows the step produced"),
  /** RFC 3339, UTC, milliseconds. */
  executed_at: z.string().meta({ format: "date-time" }).describe("When the attempt ended, in UTC"),
  /** From 1. */
  attempt: z.int().describe("Number of the attempt, from 1"),
  /** Set when the step ran and failed. */
  error: stepErrorSchema.exactOptional().describe("Why it failed; absent when it did not"),
};

/** The result of running one step (Contract §2.4). */
export interface StepResult extends Message<typeof stepResultShape> {}

const stepResultSchema: z.ZodType<StepResult> = z
  .object(stepResultShape)
  .meta({ id: "StepResult", description: "Result of the step" });

const schemaTableDeltaShape = {
  table_name: z.string().describe("Name of the table"),
  operation: z
    .enum(["NEW", "MODIFIED", "REMOVED"])
    .describe("Whether the table was created, altered or dropped"),
  /** JSON text: columns, types, keys, foreign keys, indexes. */
  table_def_json: z
    .string()
    .describe("JSON text: columns, types, keys, foreign keys and indexes of the table"),
};

/** The change of one table's schema by a step (Decision §11). */
export interface SchemaTableDelta extends Message<typeof schemaTableDeltaShape> {}

const schemaTableDeltaSchema: z.ZodType<SchemaTableDelta> = z
  .object(schemaTableDeltaShape)
  .meta({ id: "SchemaTableDelta", description: "How one table's schema differs after the step" });

const llmContextUpdateShape = {
  plan_id: z.string().describe("Id of the plan"),
  step_id: z.string().describe("Id of the step"),
  /** JSON text: an array of row objects. */
  tool_output_json: z.string().describe("JSON text: an array of row objects"),
  schema_additions: z
    .array(schemaTableDeltaSchema)
    .describe("Tables whose schema differs after the step; empty when none does"),
  augmentation_hints: z.array(z.string()).describe("Sentences for the system prompt"),
  next_offset: z
    .int()
    .exactOptional()
    .describe("Where the next page of the output begins; absent on the last page"),
};

/** Input for the LLM before it chooses its next step (Contract §2.5). */
export interface LlmContextUpdate extends Message<typeof llmContextUpdateShape> {}

const llmContextUpdateSchema: z.ZodType<LlmContextUpdate> = z.object(llmContextUpdateShape).meta({
  id: "LlmContextUpdate",
  description: "What to pass to the LLM before it chooses the next step",
});

const outputPageQueryShape = {
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .exactOptional()
    .describe("Index of the first row: next_offset of the answer before; default 0"),
  max_rows: z.coerce
    .number()
    .int()
    .min(1)
    .max(OUTPUT_ROWS_MAX)
    .exactOptional()
    .describe("Rows of the output at most, 1 to 10000; absent: what the step says, else all"),
  max_bytes: z.coerce
    .number()
    .int()
    .min(OUTPUT_PAGE_BYTES_MIN)
    .max(OUTPUT_BYTES_MAX)
    .exactOptional()
    .describe("Bytes of the output at most, 1024 to 2097152; absent: what the step says, else all"),
};

/** The query of `POST /api/plans/:plan_id/steps/:step_id/execute` (Decision §11), values converted. */
export interface OutputPageQuery extends Message<typeof outputPageQueryShape> {}

export const outputPageQuerySchema: z.ZodType<OutputPageQuery> =
  z.strictObject(outputPageQueryShape);

const stepExecutionShape = {
  step_result: stepResultSchema.describe("Result of the attempt"),
  llm_context_update: llmContextUpdateSchema.describe(
    "What to pass to the LLM before it chooses the next step",
  ),
  /** Whether this is the stored result of a step that had already finished (Decision §3). */
  replayed: z
    .boolean()
    .describe("True when the step had finished before this call and the stored result is returned"),
};

/** The answer to executing a step (Contract §4.2). */
export interface StepExecution extends Message<typeof stepExecutionShape> {}

export const stepExecutionSchema: z.ZodType<StepExecution> = z.object(stepExecutionShape).meta({
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
