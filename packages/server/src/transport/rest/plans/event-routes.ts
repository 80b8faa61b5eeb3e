import { planEventsQuerySchema, type PlanEventsQuery } from "@steward/protocol/rest";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { AppError } from "@steward/kernel/errors.js";
import {
  isTerminalEvent,
  type PlanEvent,
  type PlanJournal,
  type QueryRuntimeContext,
} from "../../../plans/index.js";
import { restErrorOf } from "../../errors.js";
import { followEvents } from "../../follow-events.js";
import { journalOf } from "../../journal.js";
import { asPlanId } from "../../plan-ids.js";
import type { Services } from "../../services.js";
import { errors } from "../described-replies.js";
import { EventStream } from "./event-stream.js";
import { planEventMessage } from "./plan-messages.js";
import type { RestApp } from "../rest-app.js";

const framesSchema = z.string().meta({
  examples: [
    frameOf({
      planId: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
      eventType: "PlanCreated",
      sequence: 1,
      payloadJson: "{}",
      timestamp: "2026-03-01T09:30:00.000Z",
    }),
  ],
});

/**
 * The events of a plan as server-sent events (Decision §6): from the start or the cursor, then
 * live, until the plan has ended.
 */
export function addEventRoutes(
  app: RestApp,
  { orchestrator, log }: Services,
  heartbeatMs: number,
): void {
  const open = new Set<EventStream<PlanEvent>>();
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    for (const stream of open) stream.end();
    done();
  });

  const schema = {
    operationId: "streamPlanEvents",
    summary: "Follow a plan's events",
    description:
      "Server-sent events: id is the sequence, event the type, data a PlanEvent as JSON. The stream " +
      "ends after the event that ends the plan. A request with a cursor at that event is answered with " +
      "204, which tells an EventSource not to reconnect.",
    tags: ["Plans"],
    params: z.object({ plan_id: z.string().describe("Id of the plan") }),
    querystring: planEventsQuerySchema,
    response: {
      200: {
        description: "The events, until the plan has ended",
        content: { "text/event-stream": { schema: framesSchema } },
      },
      204: z.null().describe("The plan has ended and no event follows the cursor"),
      ...errors(404, 501),
    },
  };
  const headers = z.object({
    "last-event-id": z.string().exactOptional().describe("Only events after this sequence"),
  });
  app.get(
    "/api/plans/:plan_id/events",
    // The answer to a HEAD request would only end with the plan.
    { schema, config: { headers }, exposeHeadRoute: false },
    async (request, reply) => {
      const journal = journalOf(orchestrator);
      const planId = asPlanId(request.params.plan_id);
      const cursor = cursorOf(request);
      if (await isAtTheEnd(journal, planId, cursor, request.context))
        return reply.code(204).send(null);
      const closed = new AbortController();
      const ctx = { ...request.context, signal: closed.signal };
      const pages = followEvents(journal, planId, cursor, ctx);
      const stream = new EventStream({ pages, frameOf, refusalOf, heartbeatMs, closed });
      open.add(stream);
      if (isClosing) stream.end();
      stream.once("close", () => open.delete(stream));
      stream.once("error", (error) =>
        log.error({ err: error, requestId: request.id, planId }, "event stream failed"),
      );
      return (
        reply
          .header("content-type", "text/event-stream; charset=utf-8")
          .header("cache-control", "no-store")
          // Fastify writes a stream's strings; the type of the reply only allows a string.
          .send(stream as unknown as string)
      );
    },
  );
}

/** An EventSource that reconnects repeats its URL; the header contains its newer position. */
function cursorOf(request: FastifyRequest<{ Querystring: PlanEventsQuery }>): number {
  const lastEventId = request.headers["last-event-id"];
  if (lastEventId === undefined || lastEventId === "") return request.query.after_sequence ?? 0;
  if (!/^\d{1,15}$/.test(String(lastEventId))) {
    throw new AppError("INVALID_ARGUMENT", "Last-Event-ID: must be the sequence of an event");
  }
  return Number(lastEventId);
}

/**
 * Whether no event will follow the cursor. Checked before the answer starts, so that an unknown
 * plan or a cursor beyond the log is still an error.
 */
async function isAtTheEnd(
  journal: PlanJournal,
  planId: string,
  cursor: number,
  ctx: QueryRuntimeContext,
): Promise<boolean> {
  const [next] = await journal.readEvents(planId, cursor, 1, ctx);
  if (next !== undefined || cursor === 0) return false;
  const [last] = await journal.readEvents(planId, cursor - 1, 1, ctx);
  return last !== undefined && isTerminalEvent(last.eventType);
}

function frameOf(event: PlanEvent): string {
  const data = JSON.stringify(planEventMessage(event));
  return `id: ${String(event.sequence)}\nevent: ${event.eventType}\ndata: ${data}\n\n`;
}

/** The frame that tells of a refusal. */
function refusalOf(thrown: unknown): string | undefined {
  const { status, body } = restErrorOf(thrown);
  return status < 500 ? `event: error\ndata: ${JSON.stringify(body)}\n\n` : undefined;
}
