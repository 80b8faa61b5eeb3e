import * as z from "zod";

/** One event of a plan's log (Contract §2.6): the `data` of a server-sent event. */
export interface PlanEvent {
  readonly plan_id: string;
  /** Such as `PlanCreated`; new types may be added (Contract §6 rule 1). */
  readonly event_type: string;
  /** JSON text. */
  readonly payload_json: string;
  /** RFC 3339, UTC, milliseconds; never decreasing within a plan. */
  readonly timestamp: string;
  /** From 1, without gaps, per plan: the `id` of the server-sent event. */
  readonly sequence: number;
}

/** The query of `GET /api/plans/:plan_id/events`, values converted. */
export interface PlanEventsQuery {
  /** Only events after this one; the header `Last-Event-ID` goes before it. */
  readonly after_sequence?: number;
}

export const planEventSchema: z.ZodType<PlanEvent> = z
  .object({
    plan_id: z.string().describe("Id of the plan"),
    event_type: z.string().describe("Such as PlanCreated; types may be added"),
    payload_json: z.string().describe("JSON text"),
    timestamp: z
      .string()
      .meta({ format: "date-time" })
      .describe("When it happened; never decreasing within a plan"),
    sequence: z.int().describe("Number of the event in its plan, from 1 without gaps"),
  })
  .meta({
    id: "PlanEvent",
    description: "One event of the log of a plan: the data of a server-sent event",
  });

export const planEventsQuerySchema: z.ZodType<PlanEventsQuery> = z.strictObject({
  after_sequence: z.coerce
    .number()
    .int()
    .min(0)
    .exactOptional()
    .describe("Only events after this one; the header Last-Event-ID goes before it"),
});
