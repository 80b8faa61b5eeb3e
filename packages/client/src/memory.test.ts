import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

describe("memory", () => {
  it("reaches the documented paths", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: {} });
    });
    const { memory } = createClient({ baseUrl: server.url });
    await memory.searchMemory({ query: "q", top_k: 3 });
    await memory.addMemoryEntry({ session_id: "s", content: "{}" });
    await memory.getMemoryEntry({ entry_id: "e/1" });
    await memory.listMemoryEntries({ session_id: "s", limit: 2 });
    await memory.deleteMemoryEntry({ entry_id: "e1" });
    await memory.deleteMemorySession({ session_id: "a b" });
    await memory.getMemoryStats();
    await memory.getMemoryRetention();
    await memory.setMemoryRetention({ days: null });
    expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
      'POST /api/memory/search {"query":"q","top_k":3}',
      'POST /api/memory/entries {"session_id":"s","content":"{}"}',
      "GET /api/memory/entries/e%2F1",
      "GET /api/memory/entries?session_id=s&limit=2",
      "DELETE /api/memory/entries/e1",
      "DELETE /api/memory/sessions/a%20b",
      "GET /api/memory/stats",
      "GET /api/memory/retention",
      'PUT /api/memory/retention {"days":null}',
    ]);
  });
});
