import type {
  ClientOf,
  InputOf,
  WebhookDelivery,
  webhooks as operations,
} from "@steward/operations";
import { WEBHOOKS } from "../gen/routes.js";
import type { Http } from "../http.js";
import { callsOf } from "../operations/operation-calls.js";
import { eachItem } from "../paging.js";
import type { CallOptions } from "../plans.js";

/** Webhooks: the routes under `/api/webhooks`. Calls reject with a StewardError. */
export interface Webhooks extends ClientOf<typeof operations, CallOptions> {
  /** All messages that no target has accepted yet, fetched page by page; `limit` is the page size. */
  eachWebhookDelivery(
    query?: InputOf<typeof operations.listWebhookDeliveries>,
    options?: CallOptions,
  ): AsyncIterable<WebhookDelivery>;
}

export function createWebhooks(http: Http): Webhooks {
  const calls = callsOf<typeof operations>(http, WEBHOOKS);
  return {
    ...calls,
    eachWebhookDelivery: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { deliveries: items, next_cursor: next } = await calls.listWebhookDeliveries(
          page,
          options,
        );
        return { items, next };
      }),
  };
}
