import { ERROR_CODES } from "@steward/protocol";
import * as z from "zod";
import type { Infer } from "../operation.js";

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

/** The reason why a step failed. */
export const stepError = z
  .object({
    code: z.enum(ERROR_CODES).describe("The error code, for programs"),
    message: z.string().describe("What went wrong, for people and LLMs"),
  })
  .meta({ id: "StepError", description: "Why a step failed" });

export type StepError = Infer<typeof stepError>;

/** The result of running one step (Contract §2.4). */
const stepResult = z
  .object({
    step_id: z.string().describe("Id of the step"),
    status: z.enum(["completed", "failed", "cancelled"]).describe("How the attempt ended"),
    row_count: z.int().describe("Rows the step produced"),
    /** RFC 3339, UTC, milliseconds. */
    executed_at: z
      .string()
      .meta({ format: "date-time" })
      .describe("When the attempt ended, in UTC"),
    /** From 1. */
    attempt: z.int().describe("Number of the attempt, from 1"),
    /** Set when the step ran and failed. */
    error: stepError.exactOptional().describe("Why it failed; absent when it did not"),
  })
  .meta({ id: "StepResult", description: "Result of the step" });

export type StepResult = Infer<typeof stepResult>;

/** The change of one table's schema by a step (Decision §11). */
const schemaTableDelta = z
  .object({
    table_name: z.string().describe("Name of the table"),
    operation: z
      .enum(["NEW", "MODIFIED", "REMOVED"])
      .describe("Whether the table was created, altered or dropped"),
    /** JSON text: columns, types, keys, foreign keys, indexes. */
    table_def_json: z
      .string()
      .describe("JSON text: columns, types, keys, foreign keys and indexes of the table"),
  })
  .meta({ id: "SchemaTableDelta", description: "How one table's schema differs after the step" });

export type SchemaTableDelta = Infer<typeof schemaTableDelta>;

/** Input for the LLM before it chooses its next step (Contract §2.5). */
const llmContextUpdate = z
  .object({
    plan_id: z.string().describe("Id of the plan"),
    step_id: z.string().describe("Id of the step"),
    /** JSON text: an array of row objects. */
    tool_output_json: z.string().describe("JSON text: an array of row objects"),
    schema_additions: z
      .array(schemaTableDelta)
      .describe("Tables whose schema differs after the step; empty when none does"),
    augmentation_hints: z.array(z.string()).describe("Sentences for the system prompt"),
    next_offset: z
      .int()
      .exactOptional()
      .describe("Where the next page of the output begins; absent on the last page"),
  })
  .meta({
    id: "LlmContextUpdate",
    description: "What to pass to the LLM before it chooses the next step",
  });

export type LlmContextUpdate = Infer<typeof llmContextUpdate>;

/** Which part of the output to return (Decision §11). */
export const outputPage = {
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

export const outputPageQuery = z.strictObject(outputPage);

export type OutputPageQuery = Infer<typeof outputPageQuery>;

/** The answer to executing a step (Contract §4.2). */
export const stepExecution = z
  .object({
    step_result: stepResult.describe("Result of the attempt"),
    llm_context_update: llmContextUpdate.describe(
      "What to pass to the LLM before it chooses the next step",
    ),
    /** Whether this is the stored result of a step that had already finished (Decision §3). */
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

export type StepExecution = Infer<typeof stepExecution>;
