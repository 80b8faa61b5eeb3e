import type { WebhookStore } from "./ports.js";

/** Stands in for the store when none is configured: no plan is stored, so nothing is delivered. */
export const noWebhookStore: Pick<WebhookStore, "add" | "list" | "retry"> = {
  add: () => Promise.resolve(),
  list: () => Promise.resolve([]),
  retry: () => Promise.resolve(0),
};
