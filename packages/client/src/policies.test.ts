import { expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

it("policies are shown, checked, put, explained and tested at the documented paths", async () => {
  await using server = await scriptedServer((_request, response) => {
    json(response, 200, { data: {} });
  });
  const { policies } = createClient({ baseUrl: server.url });
  await policies.getPolicies();
  await policies.checkPolicies({ text: "x" });
  await policies.putPolicies({ text: "x", version: 2 });
  await policies.explainPolicies({ action: "plans:read" });
  await policies.testPolicies({ cases: [], text: "x" });
  expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
    "GET /api/policies",
    'POST /api/policies/check {"text":"x"}',
    'PUT /api/policies {"text":"x","version":2}',
    'POST /api/policies/explain {"action":"plans:read"}',
    'POST /api/policies/test {"cases":[],"text":"x"}',
  ]);
});
