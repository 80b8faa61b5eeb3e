import * as z from "zod";
import { INTENTS } from "../../../governance/index.js";
import { OUTPUT_PAGE_BYTES_MIN } from "../../../plans/limits.js";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_DEFAULT, LLM_ROWS_MAX } from "../../limits.js";
import type { McpTool } from "../tool.js";

type Annotations = McpTool["annotations"];

/** Input fields that several tools have, described in the same words. */
export const planId: z.ZodString = z
  .string()
  .describe("Id of the plan, as submit_plan, query or list_plans returned it");

export const sessionId: z.ZodExactOptional<z.ZodString> = z
  .string()
  .exactOptional()
  .describe(
    "Session that the work belongs to. Leave it out unless you were told one; use the same one throughout a task",
  );

export const toolName: z.ZodExactOptional<z.ZodString> = z
  .string()
  .exactOptional()
  .describe("Name of a tool that explore_data lists. Leave it out unless you need one");

export const dataSource: z.ZodExactOptional<z.ZodString> = z
  .string()
  .exactOptional()
  .describe(
    "Name of the database that the statement runs on; explore_data lists them. Leave it out for the default one",
  );

export const timeoutMs: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(1)
  .exactOptional()
  .describe("Milliseconds after which the statement is stopped; at most what the operator permits");

export const intent: z.ZodEnum<{ [Name in (typeof INTENTS)[number]]: Name }> = z
  .enum(INTENTS)
  .describe(
    "What the statement does. read_select: SELECT. write_insert, write_update, write_delete: that statement. " +
      "admin: changes of the schema or of rights. A statement that does something else than its intent is refused",
  );

export const queryTemplate: z.ZodString = z
  .string()
  .describe(
    "One SQL statement. {{step.<id>.output[0].<column>}} binds one value of an earlier step's output, " +
      "{{step.<id>.output[*].<column>}} a list for IN (…), {{step.<id>.output}} all rows as one JSON value",
  );

export const dependsOn: z.ZodArray<z.ZodString> = z
  .array(z.string())
  .describe("Ids of the steps that must complete first; every step whose output is used");

export const offset: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(0)
  .exactOptional()
  .describe("Where to begin: next_offset of the answer before. Default 0");

export const maxRows: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(1)
  .max(LLM_ROWS_MAX)
  .exactOptional()
  .describe(
    `Rows to return at most, 1 to ${String(LLM_ROWS_MAX)}; default ${String(LLM_ROWS_DEFAULT)}. Ask for few`,
  );

export const maxBytes: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(OUTPUT_PAGE_BYTES_MIN)
  .max(LLM_ANSWER_BYTES_MAX)
  .exactOptional()
  .describe(
    `Bytes of rows to return at most, ${String(OUTPUT_PAGE_BYTES_MIN)} to ${String(LLM_ANSWER_BYTES_MAX)}; ` +
      `default ${String(LLM_ANSWER_BYTES_MAX)}`,
  );

/** Output field of paged answers. */
export const nextOffset: z.ZodOptional<z.ZodInt> = z
  .int()
  .optional()
  .describe("offset of the next call, where there is more; absent at the end");

/**
 * Annotations of a tool that only reads the service's own database. It changes nothing and contacts
 * no other system.
 */
export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Annotations of a tool that adds something. */
export const ADDS: Annotations = { ...READS, readOnlyHint: false, idempotentHint: false };
