import type { ApiKey, ClientOf, InputOf, keys as operations } from "@steward/operations";
import { KEYS } from "../gen/routes.js";
import type { Http } from "../http.js";
import { callsOf } from "../operations/operation-calls.js";
import { eachItem } from "../paging.js";
import type { CallOptions } from "../plans.js";

/** API keys: the routes under `/api/keys`. Calls reject with a StewardError. */
export interface Keys extends ClientOf<typeof operations, CallOptions> {
  /** All keys, newest first, fetched page by page; `limit` is the page size. */
  eachApiKey(
    query?: InputOf<typeof operations.listApiKeys>,
    options?: CallOptions,
  ): AsyncIterable<ApiKey>;
}

export function createKeys(http: Http): Keys {
  const calls = callsOf<typeof operations>(http, KEYS);
  return {
    ...calls,
    eachApiKey: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { keys: items, next_cursor: next } = await calls.listApiKeys(page, options);
        return { items, next };
      }),
  };
}
