import type { ClientOf, InputOf, memory as operations, MemoryEntry } from "@steward/operations";
import { MEMORY } from "./gen/routes.js";
import type { Http } from "./http.js";
import { callsOf } from "./operations/operation-calls.js";
import { eachItem } from "./paging.js";
import type { CallOptions } from "./plans.js";

/** Memory: the routes under `/api/memory`. Calls reject with a StewardError. */
export interface Memory extends ClientOf<typeof operations, CallOptions> {
  /** All entries, newest first, fetched page by page; `limit` is the page size. */
  eachMemoryEntry(
    query?: InputOf<typeof operations.listMemoryEntries>,
    options?: CallOptions,
  ): AsyncIterable<MemoryEntry>;
}

export function createMemory(http: Http): Memory {
  const calls = callsOf<typeof operations>(http, MEMORY);
  return {
    ...calls,
    eachMemoryEntry: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { entries: items, next_cursor: next } = await calls.listMemoryEntries(page, options);
        return { items, next };
      }),
  };
}
