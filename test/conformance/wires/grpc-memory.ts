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

/** Calls a method of the memory service. @throws Refusal. */
export type AskGrpc = <Answer>(method: string, request: object) => Promise<Answer>;

/** Memory over gRPC. */
export class GrpcMemory implements Memory {
  readonly #ask: AskGrpc;

  constructor(ask: AskGrpc) {
    this.#ask = ask;
  }

  async search({ filter, org_id, ...request }: SearchInput): Promise<readonly SearchResult[]> {
    const { content, ...rest } = filter ?? {};
    const condition =
      content === undefined
        ? {}
        : { content: { path: content.path, equals_json: JSON.stringify(content.equals) } };
    const { results } = await this.#ask<{ results: SearchResult[] }>("SearchMemory", {
      ...request,
      ...(org_id === undefined || org_id === null ? {} : { org_id }),
      ...(filter === undefined ? {} : { filter: { ...rest, ...condition } }),
    });
    return results;
  }

  async add(entry: NewEntry): Promise<Entry> {
    return withoutEmpty((await this.#ask<{ entry: Entry }>("AddMemoryEntry", entry)).entry);
  }

  async get(entryId: string): Promise<Entry> {
    const request = { entry_id: entryId };
    return withoutEmpty((await this.#ask<{ entry: Entry }>("GetMemoryEntry", request)).entry);
  }

  async list(query: EntryQuery = {}): Promise<EntryPage> {
    const { entries, next_cursor } = await this.#ask<Required<EntryPage>>(
      "ListMemoryEntries",
      query,
    );
    return {
      entries: entries.map(withoutEmpty),
      ...(next_cursor === "" ? {} : { next_cursor }),
    };
  }

  async remove(entryId: string): Promise<number> {
    const request = { entry_id: entryId };
    return (await this.#ask<{ deleted: number }>("DeleteMemoryEntry", request)).deleted;
  }

  async removeSession(sessionId: string): Promise<number> {
    const request = { session_id: sessionId };
    return (await this.#ask<{ deleted: number }>("DeleteMemorySession", request)).deleted;
  }

  stats(): Promise<MemoryStats> {
    return this.#ask("GetMemoryStats", {});
  }

  async retention(): Promise<number | null> {
    return (await this.#ask<{ days?: number }>("GetMemoryRetention", {})).days ?? null;
  }

  async setRetention(days: number | null): Promise<number | null> {
    const request = days === null ? {} : { days };
    return (await this.#ask<{ days?: number }>("SetMemoryRetention", request)).days ?? null;
  }
}

/** Removes empty fields, which REST leaves out. */
function withoutEmpty(entry: Entry): Entry {
  const { tool_name, intent: _intent, ...rest } = entry;
  return tool_name === "" ? rest : entry;
}
