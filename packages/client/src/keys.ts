import type {
  ApiKey,
  ApiKeyPage,
  ApiKeyPageQuery,
  IssuedApiKey,
  NewApiKey,
  RevokedApiKey,
  RotateApiKey,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import { eachItem } from "./paging.js";
import type { CallOptions } from "./plans.js";

/** API keys: everything the server's `/api/keys` offers. Calls reject with a StewardError. */
export interface Keys {
  /**
   * Makes a key. Its `api_key` can be read in this answer and never again. Not tried again by itself: there would be two
   * keys.
   */
  create(key: NewApiKey, options?: CallOptions): Promise<IssuedApiKey>;
  /** One page without secrets, newest first, revoked keys too. */
  list(query?: ApiKeyPageQuery, options?: CallOptions): Promise<ApiKeyPage>;
  /** All keys, newest first, a page at a time; `limit` is the size of a page. */
  listAll(query?: ApiKeyPageQuery, options?: CallOptions): AsyncIterable<ApiKey>;
  /**
   * Gives a key a new secret; the present one stays good for `overlap_seconds`. Not tried again by itself: the secret of
   * an answer that was lost would count.
   */
  rotate(keyId: string, rotation?: RotateApiKey, options?: CallOptions): Promise<IssuedApiKey>;
  /** Ends a key for good: within a second no server takes it. */
  revoke(keyId: string, options?: CallOptions): Promise<RevokedApiKey>;
}

/** Keys over HTTP. */
export function createKeys(http: Http): Keys {
  const keys: Keys = {
    create: (body, { signal } = {}) =>
      http.call({ method: "POST", path: PATH, body, idempotent: false, signal }),
    list: (query = {}, { signal } = {}) =>
      http.call({ method: "GET", path: PATH, query: { ...query }, idempotent: true, signal }),
    listAll: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { keys: items, next_cursor: next } = await keys.list(page, options);
        return { items, next };
      }),
    rotate: (keyId, body = {}, { signal } = {}) =>
      http.call({
        method: "POST",
        path: `${pathOf(keyId)}/rotate`,
        body,
        idempotent: false,
        signal,
      }),
    revoke: (keyId, { signal } = {}) =>
      http.call({ method: "DELETE", path: pathOf(keyId), idempotent: true, signal }),
  };
  return keys;
}

const PATH = "/api/keys";

function pathOf(keyId: string): string {
  return `${PATH}/${encodeURIComponent(keyId)}`;
}
