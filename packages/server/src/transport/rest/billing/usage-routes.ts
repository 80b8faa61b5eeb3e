import {
  dataOf,
  USAGE_EVENTS_MAX,
  type UsageCloudEvent,
  usageCloudEventSchema,
  usageIngestionSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { ExternalEvent, UsageService } from "../../../usage/index.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { zodValidation } from "../validation/validation.js";

/** Usage that other systems report (Contract §4.5). Not derived, because its body is a list. */
export function addReportedUsage(app: RestApp, usage: UsageService): void {
  const schema = {
    operationId: "reportUsage",
    summary: "Report tool calls of another system",
    description:
      "A batch of CloudEvents. Each event counts once, identified by its source and id, on the day on " +
      "which it occurred.",
    tags: ["Billing"],
    body: z.array(usageCloudEventSchema).max(USAGE_EVENTS_MAX),
    response: {
      200: json("How many were new", dataOf(usageIngestionSchema)),
      ...errors(403, 413),
    },
  };
  const config = { tooLargeFix: "report the events in several batches" };
  const validatorCompiler = zodValidation("INVALID_ARGUMENT", "events");
  app.post("/billing/events", { schema, config, validatorCompiler }, async ({ body, context }) => ({
    data: await usage.ingest(context, body.map(externalEventOf)),
  }));
}

/** A reported event in the service's form. */
function externalEventOf({ id, source, time, data }: UsageCloudEvent): ExternalEvent {
  return {
    id,
    source,
    time,
    toolName: data.tool_name,
    intent: data.intent,
    sessionId: data.session_id,
    ormModel: data.orm_model,
  };
}
