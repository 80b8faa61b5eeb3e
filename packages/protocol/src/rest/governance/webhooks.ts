import * as z from "zod";
import type { Message } from "../envelope.js";

/** Deliveries on a page, at most. */
export const WEBHOOK_DELIVERY_PAGE_MAX: number = 200;
/** Statuses of a delivery that no target has accepted yet. */
export const WEBHOOK_DELIVERY_STATUSES = ["waiting", "dead"] as const;

const dateTime = z.string().meta({ format: "date-time" });

const deliveryShape = {
  message_id: z.string().describe("The header webhook-id, the same in every attempt"),
  target: z.string().describe("The target's name in the tools file"),
  status: z
    .enum(WEBHOOK_DELIVERY_STATUSES)
    .describe("waiting: another attempt follows; dead: none follows"),
  type: z.string().describe("What the message tells of, such as plan.failed"),
  data: z.record(z.string(), z.unknown()).describe("What the message says of it"),
  attempts: z.int().describe("Attempts so far"),
  next_attempt_at: dateTime
    .exactOptional()
    .describe("When the next attempt is made; absent when none follows"),
  dead_at: dateTime.exactOptional().describe("When it failed for good"),
  error: z.string().exactOptional().describe("Why the last attempt failed"),
};

/** A message that a target has not accepted yet. */
export interface WebhookDelivery extends Message<typeof deliveryShape> {}

const delivery = {
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

const deliverySchema: z.ZodType<WebhookDelivery> = z.object(deliveryShape).meta({
  id: "WebhookDelivery",
  description: "A message that a target has not accepted yet",
  examples: [delivery],
});

const deliveryPageShape = {
  deliveries: z
    .array(deliverySchema)
    .readonly()
    .describe("The deliveries, those that failed last first"),
  next_cursor: z
    .string()
    .exactOptional()
    .describe("Cursor of the next page; absent on the last page"),
};

/** A page of deliveries. */
export interface WebhookDeliveryPage extends Message<typeof deliveryPageShape> {}

export const webhookDeliveryPageSchema: z.ZodType<WebhookDeliveryPage> = z
  .object(deliveryPageShape)
  .meta({
    id: "WebhookDeliveryPage",
    description: "A page of deliveries",
    examples: [{ deliveries: [delivery] }],
  });

const deliveryPageQueryShape = {
  status: z
    .enum(WEBHOOK_DELIVERY_STATUSES)
    .exactOptional()
    .describe("Only deliveries with this status"),
  target: z.string().exactOptional().describe("Only deliveries to this target"),
  /** 1 to {@link WEBHOOK_DELIVERY_PAGE_MAX}. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(WEBHOOK_DELIVERY_PAGE_MAX)
    .exactOptional()
    .describe("Deliveries on a page, 1 to 200; default 50"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
};

/** The query of `GET /api/webhooks/deliveries`, values converted. */
export interface WebhookDeliveryPageQuery extends Message<typeof deliveryPageQueryShape> {}

export const webhookDeliveryPageQuerySchema: z.ZodType<WebhookDeliveryPageQuery> =
  z.strictObject(deliveryPageQueryShape);

const retryShape = {
  target: z.string().exactOptional().describe("Only deliveries to this target"),
  message_id: z.string().exactOptional().describe("Only deliveries of this message"),
};

/** Which deliveries are sent again; nothing named: all. */
export interface WebhookRetry extends Message<typeof retryShape> {}

export const webhookRetrySchema: z.ZodType<WebhookRetry> = z.strictObject(retryShape).meta({
  id: "WebhookRetry",
  description: "Which deliveries are sent again; nothing named: all",
  examples: [{ target: "ops" }],
});

const retriedShape = {
  retried: z
    .int()
    .describe("How many deliveries are sent again, 1000 at most: ask again when there may be more"),
};

/** How many deliveries are sent again. */
export interface WebhookRetried extends Message<typeof retriedShape> {}

export const webhookRetriedSchema: z.ZodType<WebhookRetried> = z.object(retriedShape).meta({
  id: "WebhookRetried",
  description: "How many deliveries are sent again",
  examples: [{ retried: 3 }],
});

const testShape = { target: z.string().describe("The target's name in the tools file") };

/** Which target gets a test message. */
export interface WebhookTest extends Message<typeof testShape> {}

export const webhookTestSchema: z.ZodType<WebhookTest> = z.strictObject(testShape).meta({
  id: "WebhookTest",
  description: "Which target gets a test message",
  examples: [{ target: "ops" }],
});

const testedShape = {
  target: z.string().describe("The target's name in the tools file"),
  message_id: z.string().describe("The header webhook-id of the test message"),
  is_accepted: z.boolean().describe("Whether the target answered with a status from 200 to 299"),
  status: z.int().exactOptional().describe("The status of the answer; absent: there was none"),
  error: z.string().exactOptional().describe("Why the message does not count as accepted"),
  duration_ms: z.int().describe("How long the answer took, in ms"),
};

/** How a target answered a test message. */
export interface WebhookTested extends Message<typeof testedShape> {}

export const webhookTestedSchema: z.ZodType<WebhookTested> = z.object(testedShape).meta({
  id: "WebhookTested",
  description: "How a target answered a test message",
  examples: [
    {
      target: "ops",
      message_id: "msg_test_5f0b0e52-3c55-4e0e-8e6a-3a4f5b2c1d0e",
      is_accepted: false,
      status: 500,
      error: "the target answered 500",
      duration_ms: 12,
    },
  ],
});
