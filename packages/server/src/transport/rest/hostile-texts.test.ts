import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, startRestServer, type TestRestServer } from "./testing/rest-server.js";

let server: TestRestServer;
beforeAll(async () => {
  server = await startRestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const headers = { "x-user-role": "operator", "x-user-permissions": "manage:billing" };
const NUL = "holds a NUL character, which is not allowed";

describe("a text that no store could keep as it is", () => {
  it.each([
    ["GET /api/plans?session_id=%00", "session_id"],
    ["GET /api/memory/entries?tool_name=a%00b", "tool_name"],
    ["DELETE /api/memory/sessions/%00", "session_id"],
    ["POST /api/keys/%00/rotate", "key_id"],
    ["DELETE /api/keys/%00", "key_id"],
    ["DELETE /billing/budgets/%00", "budget_id"],
  ])("is refused in the path and the query: %s", async (request, field) => {
    const body = request.startsWith("POST") ? { body: {} } : {};
    const answer = await send(server, request, { headers, ...body });
    expect([answer.status, answer.body["error"]]).toEqual([400, `${field}: ${NUL}`]);
  });

  it.each(["DELETE /api/holds/%00", "GET /api/erasures/%00"])(
    "is an unknown id where the service makes the ids: %s",
    async (request) => {
      expect(await send(server, request, { headers })).toMatchObject({ status: 404 });
    },
  );

  it("is refused in every text of every body, and its field named", async () => {
    const { body } = await send(server, "GET /openapi.json");
    const cases = Object.entries(body["paths"] as Paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const example = operation.requestBody?.content["application/json"]?.example;
        const request = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11")}`;
        return withTexts(example, "\ud800").map((hostile) => ({ request, hostile }));
      }),
    );
    expect(cases.length).toBeGreaterThan(50);
    for (const { request, hostile } of cases) {
      const answer = await send(server, request, { headers, body: hostile });
      expect([request, JSON.stringify(hostile), answer.status]).toEqual([
        request,
        JSON.stringify(hostile),
        400,
      ]);
    }
  });

  it("is a text like any other where state keeps bytes, if it is a NUL", async () => {
    const body = { format: "n-quads", content: '<urn:a> <urn:b> "\0" .', message: "m" };
    const answer = await send(server, "POST /api/state/import", { headers, body });
    expect(JSON.stringify(answer.body)).not.toContain(NUL);
  });
});

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

/** Copies of the value, each with one of its texts replaced. */
function withTexts(value: unknown, text: string): readonly unknown[] {
  if (typeof value === "string") return [text];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      withTexts(item, text).map((changed) => value.with(index, changed) as unknown),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    withTexts(item, text).map((changed) => ({ ...value, [key]: changed })),
  );
}
