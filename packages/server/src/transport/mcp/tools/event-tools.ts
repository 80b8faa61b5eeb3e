import * as z from "zod";
import { LLM_ANSWER_BYTES_MAX, LLM_ROWS_DEFAULT, MCP_WAIT_MS_MAX } from "../../limits.js";
import { isTerminalEvent, type PlanEvent } from "../../../plans/index.js";
import { followEvents } from "../../follow-events.js";
import { journalOf } from "../../journal.js";
import { asPlanId } from "../../plan-ids.js";
import { pageWithin } from "../../paging/page-within.js";
import { defineTool, type McpTool } from "../tool.js";
import { planId, READS } from "./fields.js";

/** Default waiting time of wait_for_events, in s. */
const WAIT_S_DEFAULT = 20;
const WAIT_S_MAX = MCP_WAIT_MS_MAX / 1000;

/** The tool that follows a plan. */
export const EVENT_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "wait_for_events",
    title: "Wait for events of a plan",
    description:
      "Returns what has happened to a plan after a sequence number, and waits for it when nothing has happened yet. " +
      "Use it when somebody else runs or approves the plan, not after your own execute_step, which already waits. " +
      "Call it again with after_sequence set to last_sequence until ended is true.",
    annotations: READS,
    operations: ["streamPlanEvents"],
    usage: "read_select",
    input: z.strictObject({
      plan_id: planId,
      after_sequence: z
        .int()
        .min(0)
        .exactOptional()
        .describe("Only events after this one; default 0, all events"),
      wait_seconds: z
        .number()
        .min(0)
        .max(WAIT_S_MAX)
        .exactOptional()
        .describe(
          `How long to wait, 0 to ${String(WAIT_S_MAX)}; default ${String(WAIT_S_DEFAULT)}`,
        ),
    }),
    output: z.object({
      events: z
        .array(
          z.object({
            sequence: z.int().describe("Number of the event within its plan, from 1"),
            event_type: z.string().describe("Such as PlanStepExecuted or PlanCompleted"),
            timestamp: z.string().describe("When it happened, in UTC"),
            payload: z.unknown().describe("What happened"),
          }),
        )
        .readonly()
        .describe("The events, in order; empty when nothing happened in time"),
      last_sequence: z.int().describe("after_sequence of the next call"),
      ended: z.boolean().describe("Whether the plan is over and no further event follows"),
    }),
    run: async (input, { context, services: { orchestrator } }) => {
      const after = input.after_sequence ?? 0;
      const waitMs = (input.wait_seconds ?? WAIT_S_DEFAULT) * 1000;
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(waitMs)]);
      const journal = journalOf(orchestrator);
      const id = asPlanId(input.plan_id);
      const [first, ...others] = await journal.readEvents(id, after, LLM_ROWS_DEFAULT, context);
      const events =
        first === undefined
          ? await nextEvents(followEvents(journal, id, after, { ...context, signal }))
          : [first, ...others];
      const { items } = pageWithin(events.map(eventMessage), {
        offset: 0,
        itemsMax: LLM_ROWS_DEFAULT,
        bytesMax: LLM_ANSWER_BYTES_MAX,
      });
      const last = events[items.length - 1];
      // Without an event, the plan has ended if following stopped before the time limit.
      const isOver = last === undefined ? !signal.aborted : isTerminalEvent(last.eventType);
      return { events: items, last_sequence: last?.sequence ?? after, ended: isOver };
    },
  }),
];

/** The first page of events; empty when none came before the wait was over. */
async function nextEvents(
  pages: AsyncGenerator<readonly PlanEvent[], void, void>,
): Promise<readonly PlanEvent[]> {
  for await (const page of pages) return page;
  return [];
}

function eventMessage({ sequence, eventType, timestamp, payloadJson }: PlanEvent) {
  return {
    sequence,
    event_type: eventType,
    timestamp,
    payload: JSON.parse(payloadJson) as unknown,
  };
}
