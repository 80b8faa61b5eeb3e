import { memory } from "@steward/operations";
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
import type { Ask } from "./operation-calls.js";

/** Memory over any wire. */
export class MemoryCalls implements Memory {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  search(request: SearchInput): Promise<readonly SearchResult[]> {
    return this.#ask(memory.searchMemory, request);
  }

  add(entry: NewEntry): Promise<Entry> {
    return this.#ask(memory.addMemoryEntry, entry);
  }

  get(entryId: string): Promise<Entry> {
    return this.#ask(memory.getMemoryEntry, { entry_id: entryId });
  }

  list(query: EntryQuery = {}): Promise<EntryPage> {
    return this.#ask(memory.listMemoryEntries, query);
  }

  async remove(entryId: string): Promise<number> {
    return (await this.#ask(memory.deleteMemoryEntry, { entry_id: entryId })).deleted;
  }

  async removeSession(sessionId: string): Promise<number> {
    return (await this.#ask(memory.deleteMemorySession, { session_id: sessionId })).deleted;
  }

  stats(): Promise<MemoryStats> {
    return this.#ask(memory.getMemoryStats);
  }

  async retention(): Promise<number | null> {
    return (await this.#ask(memory.getMemoryRetention)).days ?? null;
  }

  async setRetention(days: number | null): Promise<number | null> {
    return (await this.#ask(memory.setMemoryRetention, { days })).days ?? null;
  }
}
