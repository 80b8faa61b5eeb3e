import { expect, it } from "vitest";
import { createClient } from "../client.js";
import { json, scriptedServer } from "../testing/scripted-server.js";

it("keys are created, listed page by page, rotated and revoked at the documented paths", async () => {
  await using server = await scriptedServer(({ url }, response) => {
    const next = url === "/api/keys?limit=1" ? { next_cursor: "c" } : {};
    json(response, 200, { data: { keys: [{ key_id: "a/b" }], ...next } });
  });
  const { keys } = createClient({ baseUrl: server.url });
  await keys.createApiKey({ name: "k", roles: ["agent"] });
  const listed: string[] = [];
  for await (const { key_id } of keys.eachApiKey({ limit: 1 })) listed.push(key_id);
  expect(listed).toEqual(["a/b", "a/b"]);
  await keys.rotateApiKey({ key_id: "a/b", overlap_seconds: 60 });
  await keys.rotateApiKey({ key_id: "a/b" });
  await keys.revokeApiKey({ key_id: "a/b" });
  expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
    'POST /api/keys {"name":"k","roles":["agent"]}',
    "GET /api/keys?limit=1",
    "GET /api/keys?limit=1&cursor=c",
    'POST /api/keys/a%2Fb/rotate {"overlap_seconds":60}',
    "POST /api/keys/a%2Fb/rotate {}",
    "DELETE /api/keys/a%2Fb",
  ]);
});

it.each(["createApiKey", "rotateApiKey"] as const)(
  "%s is not tried again by itself: a secret would be lost",
  async (name) => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 503, { error: "busy", code: "STORE_UNAVAILABLE" });
    });
    const { keys } = createClient({ baseUrl: server.url });
    const call = keys[name]({ key_id: "k", name: "k" });
    await expect(call).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(server.seen).toHaveLength(1);
  },
);
