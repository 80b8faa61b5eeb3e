import { webhooks, type WebhookDelivery } from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import { WEBHOOK_PAGE_DEFAULT } from "../../webhooks/limits.js";
import type { StoredDelivery } from "../../webhooks/ports.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on webhook messages do. */
export function webhookOperations({
  webhooks: service,
}: Pick<Services, "webhooks">): readonly Implemented[] {
  return [
    implement(webhooks.listWebhookDeliveries, async ({ input, context }) => {
      const { limit = WEBHOOK_PAGE_DEFAULT, cursor, ...filter } = input;
      const page = await service.list(context, filter, { limit, ...present({ cursor }) });
      return {
        deliveries: page.deliveries.map(deliveryMessage),
        ...present({ next_cursor: page.nextCursor }),
      };
    }),
    implement(webhooks.retryWebhookDeliveries, async ({ input, context }) => {
      const { target, message_id: messageId } = input;
      return { retried: await service.retry(context, present({ target, messageId })) };
    }),
    implement(webhooks.testWebhook, async ({ input: { target }, context }) => {
      const tested = await service.test(context, target, context.signal);
      return {
        target,
        message_id: tested.messageId,
        is_accepted: tested.kind === "accepted",
        ...(tested.kind === "no answer" ? {} : { status: tested.status }),
        ...(tested.kind === "accepted" ? {} : { error: tested.error }),
        duration_ms: tested.durationMs,
      };
    }),
  ];
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
