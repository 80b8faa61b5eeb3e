import { AppError } from "@steward/kernel/errors.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, startRestServer, type TestRestServer } from "../rest/testing/rest-server.js";
import { challenge, protectedResourceOf } from "./protected-resource.js";

const issuer = "https://login.example.com";
const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

let server: TestRestServer;
beforeAll(async () => {
  server = await startRestServer({
    authenticate: () => Promise.reject(new AppError("UNAUTHENTICATED", "no credential")),
    protectedResource: protectedResourceOf({
      issuer,
      audiences: ["steward", "https://steward.example.com"],
    }),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describe("the protected resource metadata of MCP", () => {
  it("names the audience and the issuer of tokens to anybody, at both of its addresses", async () => {
    for (const suffix of ["", "/mcp"]) {
      const answer = await send(server, `GET /.well-known/oauth-protected-resource${suffix}`);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          resource: "https://steward.example.com",
          authorization_servers: [issuer],
          bearer_methods_supported: ["header"],
        },
      });
    }
  });

  it("is what a 401 points to, which says when a token was shown and is wrong", async () => {
    const url =
      'resource_metadata="https://steward.example.com/.well-known/oauth-protected-resource"';
    const without = await send(server, "POST /mcp", { body: list });
    expect([without.status, without.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer ${url}`,
    ]);
    expect(without.body).toMatchObject({ error: { data: { code: "UNAUTHENTICATED" } } });
    const wrong = await send(server, "POST /mcp", {
      body: list,
      headers: { authorization: "Bearer x" },
    });
    expect(wrong.headers.get("www-authenticate")).toBe(`Bearer error="invalid_token", ${url}`);
  });

  it("comes after the path of a resource that has one", () => {
    const resource = protectedResourceOf({ issuer, audiences: ["https://example.com/mcp"] });
    expect(challenge(resource, false)).toContain(
      "https://example.com/.well-known/oauth-protected-resource/mcp",
    );
  });

  it("is not there when no audience is a URL, because a client could not ask for a token", () => {
    expect(protectedResourceOf({ issuer, audiences: ["steward"] })).toBeUndefined();
    expect(protectedResourceOf(undefined)).toBeUndefined();
  });
});
