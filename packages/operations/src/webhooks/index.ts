import { operationTable } from "../operation.js";
import { listWebhookDeliveries } from "./list-webhook-deliveries.js";
import { retryWebhookDeliveries } from "./retry-webhook-deliveries.js";
import { testWebhook } from "./test-webhook.js";

/** The webhook messages that no target has accepted yet. */
export const webhooks = operationTable({
  listWebhookDeliveries,
  retryWebhookDeliveries,
  testWebhook,
});
