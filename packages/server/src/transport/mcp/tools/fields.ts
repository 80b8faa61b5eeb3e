import * as z from "zod";
import { INTENTS } from "../../../governance/index.js";
import { OUTPUT_PAGE_BYTES_MIN } from "../../../plans/limits.js";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_DEFAULT, LLM_ROWS_MAX } from "../../limits.js";
import { pageWithin } from "../../paging/page-within.js";
import type { McpTool } from "../tool.js";

type Annotations = McpTool["annotations"];

/** Input fields that several tools have, described in the same words. */
export const planId: z.ZodString = z.string().describe("Id of the plan");

export const sessionId: z.ZodExactOptional<z.ZodString> = z
  .string()
  .exactOptional()
  .describe("Only if you were told one");

export const toolName: z.ZodExactOptional<z.ZodString> = z
  .string()
  .exactOptional()
  .describe("A tool that explore_data lists; rarely needed");

export const dataSource: z.ZodExactOptional<z.ZodString> = z
  .string()
  .exactOptional()
  .describe("Database; absent: the default one");

export const timeoutMs: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(1)
  .exactOptional()
  .describe("Stops the statement after so many milliseconds");

export const intent: z.ZodEnum<{ [Name in (typeof INTENTS)[number]]: Name }> = z
  .enum(INTENTS)
  .describe("What the statement does, by default read_select; admin: changes of schema or rights");

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
  .describe("next_offset of the answer before");

export const maxRows: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(1)
  .max(LLM_ROWS_MAX)
  .exactOptional()
  .describe(`Default ${String(LLM_ROWS_DEFAULT)}`);

export const maxBytes: z.ZodExactOptional<z.ZodInt> = z
  .int()
  .min(OUTPUT_PAGE_BYTES_MIN)
  .max(LLM_ANSWER_BYTES_MAX)
  .exactOptional()
  .describe(`Bytes of rows at most; default ${String(LLM_ANSWER_BYTES_MAX)}`);

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

/** The items that fit into one answer. */
export function fitting<Item>(items: readonly Item[]): readonly Item[] {
  const bounds = { offset: 0, itemsMax: LLM_ROWS_MAX, bytesMax: LLM_ANSWER_BYTES_MAX };
  return pageWithin(items, bounds).items;
}
