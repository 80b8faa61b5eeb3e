import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { noWebhookStore, WebhookOutbox, WebhookService } from "../../webhooks/index.js";

/** Webhooks of a server without a store and without targets. */
export function storelessWebhooks(): WebhookService {
  return new WebhookService({
    ...{ targets: [], outbox: new WebhookOutbox([]), store: noWebhookStore },
    sender: { post: () => Promise.reject(new Error("there is no target")) },
    clock: systemClock,
    ids: systemIds(systemClock),
  });
}
