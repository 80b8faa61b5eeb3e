import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

describe("state", () => {
  it("reaches the documented paths", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: {} });
    });
    const { state } = createClient({ baseUrl: server.url });
    const subject = "<a:a>";
    await state.listStateRefs();
    await state.moveStateRef({ name: "tags/t", commit: "main", expected: null });
    await state.getStateLog({ from: "main", limit: 2 });
    await state.getStateDiff({ from: "a", to: "b" });
    await state.getStateAt({ at: "main", subject });
    await state.queryState({ sparql: "ASK {}" });
    await state.importState({ format: "turtle", content: "", message: "m" });
    await state.importStateDocument({ format: "trig", content: "<a:a> a 1 .", message: "m" });
    const text = await new Response(await state.exportState({ format: "trig" })).text();
    await state.proveState({ subject, predicate: subject, object: subject });
    await state.mergeState({ from: "b", message: "m" });
    await state.revertState({ commit: "b" });
    await state.checkState();
    await state.collectState();
    expect(text).toBe('{"data":{}}');
    expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
      "GET /api/state/refs",
      'POST /api/state/refs {"name":"tags/t","commit":"main","expected":null}',
      "GET /api/state/log?from=main&limit=2",
      "GET /api/state/diff?from=a&to=b",
      "GET /api/state/at?at=main&subject=%3Ca%3Aa%3E",
      'POST /api/state/query {"sparql":"ASK {}"}',
      'POST /api/state/import {"format":"turtle","content":"","message":"m"}',
      "POST /api/state/documents?message=m <a:a> a 1 .",
      "GET /api/state/export?format=trig",
      "GET /api/state/proof?subject=%3Ca%3Aa%3E&predicate=%3Ca%3Aa%3E&object=%3Ca%3Aa%3E",
      'POST /api/state/merge {"from":"b","message":"m"}',
      'POST /api/state/revert {"commit":"b"}',
      "POST /api/state/fsck",
      "POST /api/state/gc",
    ]);
  });
});
