import type {
  Entry,
  EntryPage,
  EntryQuery,
  Memory,
  MemoryStats,
  NewEntry,
  SearchInput,
  SearchResult,
} from "../memory.js";

/** Sends a request. @returns the answer's data. @throws Refusal. */
export type AskRest = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/** Memory over REST. */
export class RestMemory implements Memory {
  readonly #ask: AskRest;

  constructor(ask: AskRest) {
    this.#ask = ask;
  }

  search(request: SearchInput): Promise<readonly SearchResult[]> {
    return this.#ask("POST", "/api/memory/search", request);
  }

  add(entry: NewEntry): Promise<Entry> {
    return this.#ask("POST", "/api/memory/entries", entry);
  }

  get(entryId: string): Promise<Entry> {
    return this.#ask("GET", `/api/memory/entries/${encodeURIComponent(entryId)}`);
  }

  list(query: EntryQuery = {}): Promise<EntryPage> {
    const entries = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const params = new URLSearchParams(Object.fromEntries(entries));
    return this.#ask("GET", `/api/memory/entries?${params.toString()}`);
  }

  async remove(entryId: string): Promise<number> {
    const path = `/api/memory/entries/${encodeURIComponent(entryId)}`;
    return (await this.#ask<{ deleted: number }>("DELETE", path)).deleted;
  }

  async removeSession(sessionId: string): Promise<number> {
    const path = `/api/memory/sessions/${encodeURIComponent(sessionId)}`;
    return (await this.#ask<{ deleted: number }>("DELETE", path)).deleted;
  }

  stats(): Promise<MemoryStats> {
    return this.#ask("GET", "/api/memory/stats");
  }

  async retention(): Promise<number | null> {
    return (await this.#ask<{ days: number | null }>("GET", "/api/memory/retention")).days;
  }

  async setRetention(days: number | null): Promise<number | null> {
    const path = "/api/memory/retention";
    return (await this.#ask<{ days: number | null }>("PUT", path, { days })).days;
  }
}
