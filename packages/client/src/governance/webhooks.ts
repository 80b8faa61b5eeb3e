import type {
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryPageQuery,
  WebhookRetried,
  WebhookRetry,
  WebhookTested,
} from "@steward/protocol/rest";
import type { Http } from "../http.js";
import { eachItem } from "../paging.js";
import type { CallOptions } from "../plans.js";

/** Webhooks: the routes under `/api/webhooks`. Calls reject with a StewardError. */
export interface Webhooks {
  /** One page of the messages that no target has accepted yet, those that failed last first. */
  list(query?: WebhookDeliveryPageQuery, options?: CallOptions): Promise<WebhookDeliveryPage>;
  /** All of them, fetched page by page; `limit` is the page size. */
  listAll(query?: WebhookDeliveryPageQuery, options?: CallOptions): AsyncIterable<WebhookDelivery>;
  /** Sends messages again; nothing named: all, 1000 at most. */
  retry(which?: WebhookRetry, options?: CallOptions): Promise<WebhookRetried>;
  /** Sends a test message to a target, once. Not retried automatically. */
  test(target: string, options?: CallOptions): Promise<WebhookTested>;
}

export function createWebhooks(http: Http): Webhooks {
  const list: Webhooks["list"] = (query = {}, { signal } = {}) =>
    http.call({ method: "GET", path: DELIVERIES, query: { ...query }, idempotent: true, signal });
  return {
    list,
    listAll: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { deliveries, next_cursor: next } = await list(page, options);
        return { items: deliveries, next };
      }),
    retry: (body = {}, { signal } = {}) =>
      http.call({ method: "POST", path: `${DELIVERIES}/retry`, body, idempotent: true, signal }),
    test: (target, { signal } = {}) =>
      http.call({
        ...{ method: "POST", path: "/api/webhooks/test" },
        ...{ body: { target }, idempotent: false, signal },
      }),
  };
}

const DELIVERIES = "/api/webhooks/deliveries";
