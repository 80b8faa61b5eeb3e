import * as z from "zod";
import type { Message } from "./envelope.js";

const planEventShape = {
  plan_id: z.string().describe("Id of the plan"),
  /** Such as `PlanCreated`; new types may be added (Contract §6 rule 1). */
  event_type: z.string().describe("Such as PlanCreated; types may be added"),
  /** JSON text. */
  payload_json: z.string().describe("JSON text"),
  /** RFC 3339, UTC, milliseconds; never decreasing within a plan. */
  timestamp: z
    .string()
    .meta({ format: "date-time" })
    .describe("When it happened; never decreasing within a plan"),
  /** From 1, without gaps, per plan: the `id` of the server-sent event. */
  sequence: z.int().describe("Number of the event in its plan, from 1 without gaps"),
};

/** One event of a plan's log (Contract §2.6): the `data` of a server-sent event. */
export interface PlanEvent extends Message<typeof planEventShape> {}

export const planEventSchema: z.ZodType<PlanEvent> = z.object(planEventShape).meta({
  id: "PlanEvent",
  description: "One event of the log of a plan: the data of a server-sent event",
});

const planEventsQueryShape = {
  /** Only events after this one; the header `Last-Event-ID` takes precedence. */
  after_sequence: z.coerce
    .number()
    .int()
    .min(0)
    .exactOptional()
    .describe("Only events after this one; the header Last-Event-ID takes precedence"),
};

/** The query of `GET /api/plans/:plan_id/events`, values converted. */
export interface PlanEventsQuery extends Message<typeof planEventsQueryShape> {}

export const planEventsQuerySchema: z.ZodType<PlanEventsQuery> =
  z.strictObject(planEventsQueryShape);
