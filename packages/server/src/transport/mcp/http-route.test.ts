import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRestServer, send, type TestRestServer } from "../rest/testing/rest-server.js";

let server: TestRestServer;
beforeAll(async () => {
  server = await startRestServer({ quotas: { requestsPerSecond: 1 } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const accept = { accept: "application/json, text/event-stream" };

describe("POST /mcp", () => {
  it("answers what cannot be read as an error of JSON-RPC", async () => {
    const headers = { ...accept, "content-type": "application/json" };
    const answer = await send(server, "POST /mcp", { body: "{", headers });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_700, data: { code: "INVALID_ARGUMENT" } },
    });
  });

  it("says what to do about a message that is too large, and logs no failure of its own", async () => {
    const headers = { ...accept, "content-type": "application/json" };
    const params = { name: "query", arguments: { sql: "x".repeat(12 * 1024 * 1024) } };
    const body = { ...list, method: "tools/call", params };
    const answer = await send(server, "POST /mcp", { body, headers });
    expect(answer).toMatchObject({
      status: 413,
      body: { error: { code: -32_600, data: { code: "LIMIT_EXCEEDED" } } },
    });
    expect(JSON.stringify(answer.body)).toContain("append_steps");
  });

  it("refuses pages of other sites, and names that were made to point to this machine", async () => {
    const foreign = { ...accept, origin: "https://evil.example" };
    const page = await send(server, "POST /mcp", { body: list, headers: foreign });
    expect(page).toMatchObject({
      status: 403,
      body: { error: { data: { code: "POLICY_DENIED" } } },
    });
    const rebound = { ...accept, host: "evil.example", origin: "http://evil.example" };
    const name = await send(server, "POST /mcp", { body: list, headers: rebound });
    expect(name.status).toBe(403);
  });

  it("counts each message as a request of its organization", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const headers = { ...accept, "content-type": "application/json" };
        const body = JSON.stringify(list);
        return (await fetch(`${server.url}/mcp`, { method: "POST", headers, body })).text();
      }),
    );
    const text = answers.join("\n");
    expect(text).toContain("explore_data");
    expect(text).toContain("SERVICE_ORG_REQUESTS_PER_SECOND");
  });

  it("is not a place where sessions are opened or ended", async () => {
    expect((await send(server, "GET /mcp", { headers: accept })).status).toBe(405);
    expect((await send(server, "DELETE /mcp", { headers: accept })).status).toBe(405);
  });
});
