import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, startRestServer, type TestRestServer } from "./testing/rest-server.js";

let server: TestRestServer;
let operations: readonly Operation[];

beforeAll(async () => {
  server = await startRestServer();
  const { body } = await send(server, "GET /openapi.json");
  operations = Object.entries(body["paths"] as Paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      request: `${method.toUpperCase()} ${path.replace("{index}", "0").replace(/\{\w+\}/g, "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11")}`,
      example: operation.requestBody?.content["application/json"]?.example,
    })),
  );
});
afterAll(() => server[Symbol.asyncDispose]());

const headers = { "x-user-role": "operator", "x-user-permissions": "manage:billing,manage:schema" };

describe("an unknown field", () => {
  it.each([
    [{ steps: [{ step_id: "a" }] }, "steps[0].step_id", "did you mean id?"],
    [{ steps: [{ id: "a", query: "SELECT 1" }] }, "steps[0].query", "did you mean query_template?"],
    [{ steps: [{ id: "a", depend_on: [] }] }, "steps[0].depend_on", "did you mean depends_on?"],
    [{ steps: [{ id: "a", dependsOn: [] }] }, "steps[0].dependsOn", "did you mean depends_on?"],
    [
      { steps: [], planner: 1 },
      "planner",
      "expected session_id, name, description, on_failure, keep_open, steps",
    ],
  ])("of the plan %j is refused with the field that was meant", async (body, field, hint) => {
    const answer = await send(server, "POST /api/plans", { body });
    expect([answer.status, answer.body["code"]]).toEqual([400, "INVALID_PLAN"]);
    expect(answer.body["details"]).toContainEqual({ field, reason: `unknown field; ${hint}` });
  });

  it("of a query is refused with the parameter that was meant", async () => {
    const misspelt = await send(server, "GET /billing/usage?form=2026-01-01", { headers });
    expect(misspelt.body).toEqual({
      error: "form: unknown field; did you mean from?",
      code: "INVALID_ARGUMENT",
      details: [{ field: "form", reason: "unknown field; did you mean from?" }],
    });
    const none = await send(server, "GET /api/memory/stats?verbose=1");
    expect(none.body["error"]).toBe("verbose: unknown field; none is expected here");
  });

  it("is refused by every endpoint, in the query and at every depth of the body", async () => {
    const guarded = operations.filter(({ request }) => /^\w+ \/(api|billing)\//.test(request));
    expect(guarded.length).toBeGreaterThan(45);
    for (const { request, example } of guarded) {
      const asked = `${request}?not_a_parameter=1`;
      const inQuery = await send(server, asked, {
        headers,
        ...(example !== undefined && { body: example }),
      });
      expect([request, inQuery.status, fieldsOf(inQuery.body)]).toEqual([
        request,
        400,
        expect.arrayContaining(["not_a_parameter"]),
      ]);
      for (const body of withStranger(example)) {
        const inBody = await send(server, request, { headers, body });
        expect([request, body, inBody.status, inBody.body["error"]]).toEqual([
          request,
          body,
          400,
          expect.stringContaining("not_a_field: unknown field"),
        ]);
      }
    }
  });

  it("is let pass where others decide on the fields: attributes of a CloudEvent", async () => {
    const event = { specversion: "1.0", id: "1", source: "s", type: "t", traceparent: "00-1" };
    const body = [{ ...event, data: { tool_name: "a" } }];
    const answer = await send(server, "POST /billing/events", { headers, body });
    expect(answer.body["error"]).not.toContain("unknown field");
  });

  it("is named by at most 64 of its characters, and 100 of them are named", async () => {
    const names = Array.from({ length: 5000 }, (_, n) => String(n).padEnd(100_000 / 50, "x"));
    const body = { steps: [], ...Object.fromEntries(names.map((name) => [name, 1])) };
    const { details } = (await send(server, "POST /api/plans", { body: short(body) })).body as {
      details: readonly { readonly field: string }[];
    };
    expect(details).toHaveLength(100);
    expect(Math.max(...details.map(({ field }) => field.length))).toBe(65);
  });
});

/** The first thousand members, so that the request is not too large. */
function short(body: object): object {
  return Object.fromEntries(Object.entries(body).slice(0, 1000));
}

function fieldsOf(body: Record<string, unknown>): unknown {
  return (body["details"] as readonly { readonly field: string }[] | undefined)?.map(
    ({ field }) => field,
  );
}

/**
 * Copies of the value, each with an unknown member in one object; CloudEvents may have additional
 * members.
 */
function withStranger(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      withStranger(item).map((changed) => value.with(index, changed)),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    withStranger(member).map((changed) => ({ ...value, [name]: changed })),
  );
  return "specversion" in value ? below : [{ ...value, not_a_field: 1 }, ...below];
}

interface Operation {
  readonly request: string;
  readonly example: unknown;
}

type Paths = Record<
  string,
  Record<
    string,
    { requestBody?: { content: { "application/json"?: { readonly example: unknown } } } }
  >
>;
