import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";

const status = z.enum(["waiting", "dead"]);
const time = z.string().meta({ format: "date-time" });

const EXAMPLE = {
  message_id: "msg_5f0b0e52-3c55-4e0e-8e6a-3a4f5b2c1d0e_7",
  target: "ops",
  status: "dead",
  type: "plan.failed",
  data: {
    org_id: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11",
    plan_id: "5f0b0e52-3c55-4e0e-8e6a-3a4f5b2c1d0e",
    sequence: 7,
    reason: "no such table: orders",
  },
  attempts: 15,
  dead_at: "2026-11-23T16:38:12.345Z",
  error: "the target answered 500",
} as const;

/** A message that a target has not accepted yet. */
const delivery = z
  .object({
    message_id: z.string().describe("The header webhook-id, the same in every attempt"),
    target: z.string().describe("The target's name in the tools file"),
    status: status.describe("waiting: another attempt follows; dead: none follows"),
    type: z.string().describe("What the message tells of, such as plan.failed"),
    data: z.record(z.string(), z.unknown()).describe("What the message says of it"),
    attempts: z.int().describe("Attempts so far"),
    next_attempt_at: time
      .exactOptional()
      .describe("When the next attempt is made; absent when none follows"),
    dead_at: time.exactOptional().describe("When it failed for good"),
    error: z.string().exactOptional().describe("Why the last attempt failed"),
  })
  .meta({
    id: "WebhookDelivery",
    description: "A message that a target has not accepted yet",
    examples: [EXAMPLE],
  });

export type WebhookDelivery = Infer<typeof delivery>;

export const listWebhookDeliveries = operation({
  name: "listWebhookDeliveries",
  action: "webhooks:read",
  summary: "List webhook messages that were not accepted",
  description:
    "The messages of your organization that wait for another attempt, or have failed for good, a page " +
    "at a time. A message that its target accepted is not stored any more.",
  tag: "Webhooks",
  input: z.strictObject({
    status: status.exactOptional().describe("Only deliveries with this status"),
    target: z.string().exactOptional().describe("Only deliveries to this target"),
    limit: pageLimit(200).describe("Deliveries on a page, 1 to 200; default 50"),
    cursor,
  }),
  output: z
    .object({
      deliveries: z
        .array(delivery)
        .readonly()
        .describe("The deliveries, those that failed last first"),
      next_cursor: nextCursor,
    })
    .meta({
      id: "WebhookDeliveryPage",
      description: "A page of deliveries",
      examples: [{ deliveries: [EXAMPLE] }],
    }),
  errors: [403],
  rest: { method: "GET", path: "/api/webhooks/deliveries", answered: "A page of deliveries" },
  cli: {
    command: "webhooks list",
    summary: "Lists webhook messages that their targets have not accepted yet.",
    role: "admin",
    options: [
      {
        member: "status",
        flags: "--status <status>",
        description: "Only those that wait, or that failed for good.",
        choices: ["waiting", "dead"],
      },
      {
        member: "target",
        flags: "--target <name>",
        description: "Only those to this target.",
      },
      {
        member: "cursor",
        flags: "--cursor <cursor>",
        description: "Where the page before ended.",
      },
    ],
    rows: "deliveries",
    columns: [
      { title: "MESSAGE", member: "message_id", whole: true },
      { title: "TARGET", member: "target" },
      { title: "STATUS", member: "status" },
      { title: "TYPE", member: "type" },
      { title: "ATTEMPTS", member: "attempts" },
      { title: "WHEN", member: "next_attempt_at" },
      { title: "ERROR", member: "error" },
    ],
    empty: "every message was accepted",
  },
});
