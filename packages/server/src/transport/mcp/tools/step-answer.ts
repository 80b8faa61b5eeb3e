import * as z from "zod";
import { parseOrdered } from "@steward/client";
import { ERROR_CODES } from "@steward/protocol";
import { STEP_STATUSES, type StepStatus } from "@steward/operations";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_DEFAULT, LLM_ROWS_MAX } from "../../limits.js";
import type { StepError, StepExecution } from "../../../plans/index.js";
import { present } from "../../../kernel/present.js";
import { outputPage } from "../../paging/output-page.js";
import { nextOffset } from "./fields.js";

/** A row, by the names of its columns, in their order. */
type Row = Readonly<Record<string, unknown>>;

/** The result of a step, in the form for the LLM. */
export interface StepAnswer {
  readonly plan_id: string;
  readonly step_id: string;
  readonly status: StepStatus;
  readonly row_count: number;
  readonly rows: readonly Row[];
  readonly next_offset?: number | undefined;
  readonly schema_changes: readonly {
    readonly table_name: string;
    readonly operation: "NEW" | "MODIFIED" | "REMOVED";
    readonly table_definition?: unknown;
  }[];
  readonly hints: readonly string[];
  readonly replayed: boolean;
  readonly error?: StepError | undefined;
}

export const stepAnswerSchema: z.ZodType<StepAnswer> = z.object({
  plan_id: z.string().describe("Id of the plan"),
  step_id: z.string().describe("Id of the step"),
  status: z.enum(STEP_STATUSES).describe("completed, failed or cancelled"),
  row_count: z.int().describe("Rows that the statement returned or changed"),
  rows: z.array(z.record(z.string(), z.unknown())).readonly().describe("The rows of this page"),
  next_offset: nextOffset,
  schema_changes: z
    .array(
      z.object({
        table_name: z.string(),
        operation: z.enum(["NEW", "MODIFIED", "REMOVED"]),
        table_definition: z.unknown().describe("Columns, types, keys and indexes of the table"),
      }),
    )
    .readonly()
    .describe("Tables whose definition the statement has changed"),
  hints: z.array(z.string()).readonly().describe("Sentences to consider before the next call"),
  replayed: z.boolean().describe("Whether this is the stored result of an earlier call"),
  error: z
    .object({ code: z.enum(ERROR_CODES), message: z.string() })
    .optional()
    .describe("Why the step failed; absent when it did not"),
});

/** The part of a step's rows that an LLM asks for. */
export interface RowsRequest {
  /** Index of the first row. */
  readonly offset?: number | undefined;
  readonly max_rows?: number | undefined;
  readonly max_bytes?: number | undefined;
}

/** The parameters of an answer, in addition to the step's result. */
export interface StepAnswerRequest extends RowsRequest {
  /** Names the call that corrects the step if it failed. */
  readonly correction: (execution: StepExecution) => string;
  /** The call that reads the rows from an offset on. */
  readonly readOn: ReadOn;
}

/** A call as an LLM makes it, such as `execute_step with plan_id "…"`. */
export type ReadOn = (execution: StepExecution) => string;

/**
 * A step's result for the LLM: rows as objects rather than as JSON text, limited to the requested
 * number and to the size of an answer.
 */
export function stepAnswer(
  execution: StepExecution,
  { correction, readOn, offset, max_rows, max_bytes }: StepAnswerRequest,
): StepAnswer {
  const { stepResult, llmContextUpdate: update, replayed } = execution;
  const page = rowsOfStep(execution, { offset, max_rows, max_bytes }, readOn);
  const { stepId, status, rowCount, error } = stepResult;
  return {
    plan_id: update.planId,
    step_id: stepId,
    status,
    row_count: rowCount,
    rows: page.rows,
    ...present({ next_offset: page.next_offset }),
    schema_changes: update.schemaAdditions.map((delta) => ({
      table_name: delta.tableName,
      operation: delta.operation,
      table_definition: JSON.parse(delta.tableDefJson) as unknown,
    })),
    hints: [
      ...update.augmentationHints,
      ...(status === "failed" ? [correction(execution)] : []),
      ...page.hints,
    ],
    replayed,
    ...present({ error }),
  };
}

/** A step's result in few tokens: each column is named once, and what is empty or goes without saying is left out. */
export function stepText(answer: StepAnswer): string {
  const { status, rows, row_count, next_offset, schema_changes, hints, replayed } = answer;
  return JSON.stringify({
    ...(status === "completed" ? {} : { status }),
    ...(rows.length === row_count && rows.length > 0 ? {} : { row_count }),
    ...(rows.length === 0 ? {} : inColumns(rows)),
    ...present({ next_offset }),
    ...(schema_changes.length === 0 ? {} : { schema_changes }),
    ...(hints.length === 0 ? {} : { hints }),
    ...(replayed ? { replayed } : {}),
  });
}

/** Rows as arrays of values, in the order of the columns. A value is null where a row has no such column. */
export function inColumns(rows: readonly Row[]): {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
} {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
}

/** Rows of a step's stored result, in the form for the LLM. */
export interface RowsAnswer {
  readonly rows: readonly Row[];
  readonly next_offset?: number | undefined;
  /** Say what was left out. */
  readonly hints: readonly string[];
}

/** The rows that are asked for: by default as many as the step says, and never more than an answer to an LLM has. */
export function rowsOfStep(
  execution: StepExecution,
  { offset, max_rows, max_bytes }: RowsRequest,
  readOn: ReadOn,
): RowsAnswer {
  const { maxRows = LLM_ROWS_DEFAULT, maxBytes = LLM_ANSWER_BYTES_MAX } =
    execution.outputLimits ?? {};
  const { rows, nextOffset, hints } = outputPage(
    execution,
    {
      offset,
      maxRows: max_rows ?? Math.min(maxRows, LLM_ROWS_MAX),
      maxBytes: max_bytes ?? Math.min(maxBytes, LLM_ANSWER_BYTES_MAX),
    },
    (next) =>
      `Call ${readOn(execution)} and offset ${String(next)} for the next ones; nothing runs again.`,
  );
  return {
    rows: rows.map((row) => parseOrdered(row) as Row),
    ...present({ next_offset: nextOffset }),
    hints,
  };
}
