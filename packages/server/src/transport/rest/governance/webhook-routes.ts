import { isoTime } from "@steward/kernel/clock.js";
import {
  dataOf,
  webhookDeliveryPageQuerySchema,
  webhookDeliveryPageSchema,
  webhookRetriedSchema,
  webhookRetrySchema,
  webhookTestedSchema,
  webhookTestSchema,
  type WebhookDelivery,
} from "@steward/protocol/rest";
import { WEBHOOK_PAGE_DEFAULT } from "../../../webhooks/limits.js";
import type { WebhookService } from "../../../webhooks/index.js";
import type { StoredDelivery } from "../../../webhooks/ports.js";
import { present } from "../../present.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Webhooks"];
const DELIVERIES = "/api/webhooks/deliveries";

/** The messages of the caller's organization that no target has accepted yet. */
export function addWebhookRoutes(app: RestApp, webhooks: WebhookService): void {
  addList(app, webhooks);
  addRetry(app, webhooks);
  addTest(app, webhooks);
}

function addList(app: RestApp, webhooks: WebhookService): void {
  const schema = {
    operationId: "listWebhookDeliveries",
    summary: "List webhook messages that were not accepted",
    description:
      "The messages of your organization that wait for another attempt, or have failed for good, a page " +
      "at a time. A message that its target accepted is not stored any more.",
    tags,
    querystring: webhookDeliveryPageQuerySchema,
    response: {
      200: json("A page of deliveries", dataOf(webhookDeliveryPageSchema)),
      ...errors(403),
    },
  };
  app.get(DELIVERIES, { schema }, async ({ query, context }) => {
    const { status, target, limit = WEBHOOK_PAGE_DEFAULT, cursor } = query;
    const page = await webhooks.list(context, present({ status, target }), {
      limit,
      ...present({ cursor }),
    });
    return {
      data: {
        deliveries: page.deliveries.map(deliveryMessage),
        ...present({ next_cursor: page.nextCursor }),
      },
    };
  });
}

function addRetry(app: RestApp, webhooks: WebhookService): void {
  const schema = {
    operationId: "retryWebhookDeliveries",
    summary: "Send webhook messages again",
    description:
      "Sends the messages of your organization again that have failed for good, and those now that wait " +
      "for their next attempt, with all attempts before them. Their ids stay the same.",
    tags,
    body: webhookRetrySchema,
    response: {
      200: json("How many are sent again", dataOf(webhookRetriedSchema)),
      ...errors(403, 404),
    },
  };
  app.post(`${DELIVERIES}/retry`, { schema }, async ({ body, context }) => {
    const { target, message_id: messageId } = body;
    return { data: { retried: await webhooks.retry(context, present({ target, messageId })) } };
  });
}

function addTest(app: RestApp, webhooks: WebhookService): void {
  const schema = {
    operationId: "testWebhook",
    summary: "Send a test message to a webhook target",
    description:
      "Sends a signed message of the type webhook.test once, and answers with what the target " +
      "answered. The operator's tools file names the targets.",
    tags,
    body: webhookTestSchema,
    response: {
      200: json("What the target answered", dataOf(webhookTestedSchema)),
      ...errors(403, 404),
    },
  };
  app.post("/api/webhooks/test", { schema }, async ({ body: { target }, context }) => {
    const tested = await webhooks.test(context, target, context.signal);
    return {
      data: {
        target,
        message_id: tested.messageId,
        is_accepted: tested.kind === "accepted",
        ...(tested.kind === "no answer" ? {} : { status: tested.status }),
        ...(tested.kind === "accepted" ? {} : { error: tested.error }),
        duration_ms: tested.durationMs,
      },
    };
  });
}

function deliveryMessage(delivery: StoredDelivery): WebhookDelivery {
  const { deadAtMs, dueAtMs, error, attempts } = delivery;
  // Written by the webhooks' own code.
  const { type, data } = JSON.parse(delivery.body) as Pick<WebhookDelivery, "type" | "data">;
  return {
    message_id: delivery.messageId,
    target: delivery.target,
    ...{ status: deadAtMs === undefined ? "waiting" : "dead", type, data, attempts },
    ...(deadAtMs === undefined
      ? { next_attempt_at: isoTime(dueAtMs) }
      : { dead_at: isoTime(deadAtMs) }),
    ...present({ error }),
  };
}
