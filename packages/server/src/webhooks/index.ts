/**
 * Webhooks: signed messages to receivers that the operator has named, about what happens to plans
 * and budgets.
 *
 * Glossary. **Target**: a receiver. **Message**: a request that tells a target of one event. **Delivery**: a
 * message on its way to one target. **Attempt**: one HTTP request of a delivery. **Outbox**: the
 * deliveries, which are stored in the transaction of their event. **Dead**: a delivery that failed for good.
 */
export { noWebhookStore } from "./no-webhook-store.js";
export { APPROVAL_VOID, WebhookOutbox, type PlanNews } from "./outbox.js";
export { isWebhookSecret } from "./signature.js";
export { WebhookDelivery } from "./webhook-delivery.js";
export { WebhookNotices, type WebhookNotice } from "./webhook-notices.js";
export { WebhookService, type DeliveryPage, type TestedTarget } from "./webhook-service.js";
export { WEBHOOK_EVENTS, type WebhookEvent, type WebhookTarget } from "./webhook-target.js";
