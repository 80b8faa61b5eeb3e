import type {
  DeletedEntries,
  MemoryEntry,
  MemoryEntryPage,
  MemoryPageQuery,
  MemoryResult,
  MemoryRetention,
  MemorySearchRequest,
  MemoryStats,
  NewMemoryEntry,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import { eachItem } from "./paging.js";
import type { CallOptions } from "./plans.js";

/** Memory: the routes under `/api/memory`. Calls reject with a StewardError. */
export interface Memory {
  /** The entries most similar to the query, best first. */
  search(request: MemorySearchRequest, options?: CallOptions): Promise<readonly MemoryResult[]>;
  /** Resolves when the entry is durable; the next search finds it. Not retried automatically. */
  add(entry: NewMemoryEntry, options?: CallOptions): Promise<MemoryEntry>;
  get(entryId: string, options?: CallOptions): Promise<MemoryEntry>;
  /** One page, newest first. */
  list(query?: MemoryPageQuery, options?: CallOptions): Promise<MemoryEntryPage>;
  /** All entries, newest first, fetched page by page; `limit` is the page size. */
  listAll(query?: MemoryPageQuery, options?: CallOptions): AsyncIterable<MemoryEntry>;
  /** Not retried automatically. */
  delete(entryId: string, options?: CallOptions): Promise<DeletedEntries>;
  /**
   * Deletes all entries of a session. Not retried automatically, because the returned count would
   * be wrong.
   */
  deleteSession(sessionId: string, options?: CallOptions): Promise<DeletedEntries>;
  stats(options?: CallOptions): Promise<MemoryStats>;
  /** How long entries are retained. */
  retention(options?: CallOptions): Promise<MemoryRetention>;
  setRetention(retention: MemoryRetention, options?: CallOptions): Promise<MemoryRetention>;
}

export function createMemory(http: Http): Memory {
  const get = <Payload>(path: string, { signal }: CallOptions = {}): Promise<Payload> =>
    http.call({ method: "GET", path, idempotent: true, signal });
  const remove = (path: string, { signal }: CallOptions = {}): Promise<DeletedEntries> =>
    http.call({ method: "DELETE", path, idempotent: false, signal });
  const memory: Memory = {
    search: (body, { signal } = {}) =>
      http.call({ method: "POST", path: "/api/memory/search", body, idempotent: true, signal }),
    add: (body, { signal } = {}) =>
      http.call({ method: "POST", path: ENTRIES, body, idempotent: false, signal }),
    get: (entryId, options) => get(`${ENTRIES}/${encodeURIComponent(entryId)}`, options),
    list: (query = {}, { signal } = {}) =>
      http.call({ method: "GET", path: ENTRIES, query: { ...query }, idempotent: true, signal }),
    listAll: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { entries: items, next_cursor: next } = await memory.list(page, options);
        return { items, next };
      }),
    delete: (entryId, options) => remove(`${ENTRIES}/${encodeURIComponent(entryId)}`, options),
    deleteSession: (sessionId, options) =>
      remove(`/api/memory/sessions/${encodeURIComponent(sessionId)}`, options),
    stats: (options) => get("/api/memory/stats", options),
    retention: (options) => get(RETENTION, options),
    setRetention: (body, { signal } = {}) =>
      http.call({ method: "PUT", path: RETENTION, body, idempotent: true, signal }),
  };
  return memory;
}

const ENTRIES = "/api/memory/entries";
const RETENTION = "/api/memory/retention";
