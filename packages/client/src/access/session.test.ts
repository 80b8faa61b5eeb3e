import { expect, it } from "vitest";
import { createClient } from "../client.js";
import { json, scriptedServer } from "../testing/scripted-server.js";

it("a browser's session is read, begun and ended at the documented path", async () => {
  await using server = await scriptedServer((_request, response) => {
    json(response, 200, { data: {} });
  });
  const { session } = createClient({ baseUrl: server.url });
  await session.get();
  await session.signIn("stw_live_k");
  await session.signOut();
  expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
    "GET /api/session",
    'POST /api/session {"api_key":"stw_live_k"}',
    "DELETE /api/session",
  ]);
  expect(server.seen.map(({ headers }) => headers["x-steward-console"])).toEqual([
    undefined,
    "1",
    "1",
  ]);
});

it("a sign-in is not tried again by itself", async () => {
  await using server = await scriptedServer((_request, response) => {
    json(response, 503, { error: "busy", code: "STORE_UNAVAILABLE" });
  });
  const { session } = createClient({ baseUrl: server.url });
  await expect(session.signIn("stw_live_k")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(server.seen).toHaveLength(1);
});
