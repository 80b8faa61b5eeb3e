import type {
  ApiKey,
  ApiKeyPage,
  ApiKeyPageQuery,
  IssuedApiKey,
  NewApiKey,
  RevokedApiKey,
  RotateApiKey,
} from "@steward/protocol/rest";
import type { Http } from "../http.js";
import { eachItem } from "../paging.js";
import type { CallOptions } from "../plans.js";

/** API keys: the routes under `/api/keys`. Calls reject with a StewardError. */
export interface Keys {
  /**
   * Creates a key. Its text, `api_key`, is only in this response. Not retried automatically,
   * because a retry could create a second key.
   */
  create(key: NewApiKey, options?: CallOptions): Promise<IssuedApiKey>;
  /** One page of keys without secrets, newest first, including revoked keys. */
  list(query?: ApiKeyPageQuery, options?: CallOptions): Promise<ApiKeyPage>;
  /** All keys, newest first, fetched page by page; `limit` is the page size. */
  listAll(query?: ApiKeyPageQuery, options?: CallOptions): AsyncIterable<ApiKey>;
  /**
   * Gives a key a new secret; the old one stays valid for `overlap_seconds`. Not retried
   * automatically: if the response was lost, a retry would replace the secret again.
   */
  rotate(keyId: string, rotation?: RotateApiKey, options?: CallOptions): Promise<IssuedApiKey>;
  /** Revokes a key for good. Servers stop accepting it within a second. */
  revoke(keyId: string, options?: CallOptions): Promise<RevokedApiKey>;
}

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
