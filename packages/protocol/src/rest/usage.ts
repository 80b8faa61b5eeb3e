import * as z from "zod";
import type { Message } from "./envelope.js";

/** Maximum number of events in one request. */
export const USAGE_EVENTS_MAX: number = 1000;

const name = (lengthMax: number): z.ZodString => z.string().min(1).max(lengthMax);

// An event may have other attributes, as CloudEvents allows; its data may not. The schema checks shapes
// only; the service checks the values.
const usageCloudEventShape = {
  specversion: z.literal("1.0").describe("Version of CloudEvents"),
  /** Unique together with `source`: reporting the event again adds nothing. */
  id: name(255).describe(
    "Id of the event, unique within the source; reporting the same id again adds nothing",
  ),
  source: name(1024).describe("The system that made the call"),
  type: name(255).describe("Type of the event, as the source names it"),
  /** RFC 3339: when the call ended; absent: the time of receipt. */
  time: z.string().exactOptional().describe("When the call ended, in RFC 3339; default: now"),
  data: z
    .strictObject({
      tool_name: name(255).describe("The tool that was called"),
      intent: z
        .string()
        .exactOptional()
        .describe("Intent of the call; default: derived from the tool's name"),
      session_id: name(255).exactOptional().describe("Session of the agent; default: none"),
      orm_model: name(64)
        .exactOptional()
        .describe("ORM model that the call was about; default: unknown"),
    })
    .describe("The call"),
};

/**
 * A tool call that another system reports, as a CloudEvent of version 1.0. It may have other
 * attributes.
 */
export interface UsageCloudEvent extends Message<typeof usageCloudEventShape> {}

export const usageCloudEventSchema: z.ZodType<UsageCloudEvent> = z
  .object(usageCloudEventShape)
  .meta({
    id: "UsageCloudEvent",
    description: "A tool call that another system reports: a CloudEvent of version 1.0",
    examples: [
      {
        specversion: "1.0",
        id: "call-7",
        source: "urn:example:crm",
        type: "com.example.tool-call",
        time: "2026-01-05T12:00:00Z",
        data: { tool_name: "create_invoice", session_id: "s-1", orm_model: "Invoice" },
      },
    ],
  });

const usageIngestionShape = {
  accepted: z.int().describe("Number of events that were new"),
  duplicates: z.int().describe("Number of events that had been reported before"),
};

/** Number of new events among the reported ones. */
export interface UsageIngestion extends Message<typeof usageIngestionShape> {}

export const usageIngestionSchema: z.ZodType<UsageIngestion> = z.object(usageIngestionShape).meta({
  id: "UsageIngestion",
  description: "Result of reporting events",
  examples: [{ accepted: 1, duplicates: 0 }],
});
