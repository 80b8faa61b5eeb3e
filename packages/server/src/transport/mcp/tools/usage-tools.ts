import { billing } from "@steward/operations";
import * as z from "zod";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_MAX } from "../../limits.js";
import { dailyUsageMessages } from "../../operations/usage.js";
import { pageWithin } from "../../paging/page-within.js";
import { defineTool, type McpTool } from "../tool.js";
import { nextOffset, offset, READS } from "./fields.js";
import { present } from "../../../kernel/present.js";

/** The tool that reports usage. */
export const USAGE_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "get_usage",
    title: "Read usage",
    description:
      "Shows how many tool calls your organization made on each day, their weight in Agentic Activity Units (AAU) " +
      "and their cost. It needs the right to read billing.",
    annotations: READS,
    operations: ["getUsage"],
    usage: "read_select",
    input: z.strictObject({
      from: z.string().exactOptional().describe("First day, YYYY-MM-DD"),
      to: z.string().exactOptional().describe("Last day, YYYY-MM-DD, inclusive"),
      group_by: z
        .enum(["tool", "session", "intent", "model"])
        .exactOptional()
        .describe(
          "What a row is about, besides its day: one row for each tool, session, intent or model and day",
        ),
      offset,
    }),
    output: z.object({
      rows: billing.getUsage.output.describe("Days in UTC that have usage, the earliest first"),
      next_offset: nextOffset,
    }),
    run: async ({ offset: first = 0, ...parameters }, { context, services: { usage } }) => {
      const rows = dailyUsageMessages(await usage.daily(context, parameters));
      const { items, nextOffset: next } = pageWithin(rows, {
        offset: first,
        itemsMax: LLM_ROWS_MAX,
        bytesMax: LLM_ANSWER_BYTES_MAX,
      });
      return { rows: items, ...present({ next_offset: next }) };
    },
  }),
];
