import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PROPOSAL_BYTES_MAX, REQUEST_BYTES_MAX } from "../limits.js";
import { send, startRestServer, type Answer, type TestRestServer } from "./testing/rest-server.js";

/** Sends bytes, or text that may not be JSON, as a plan. */
async function submit(server: TestRestServer, body: string | Uint8Array): Promise<Answer> {
  return send(server, "POST /api/plans", { body });
}

describe("a body of the wrong shape", () => {
  it.each([
    [{ steps: "all" }, "steps", 'must be a list, not "all"'],
    [{}, "steps", "must be a list, but it is missing"],
    [{ steps: [{}] }, "steps[0].id", "must be a string, but it is missing"],
    [{ steps: [{ id: 7 }] }, "steps[0].id", "must be a string, not 7"],
    [{ steps: [{ id: "a", name: null }] }, "steps[0].name", "must be a string, not null"],
    [
      { steps: [{ id: "a" }, { id: "b" }, { id: "c", depends_on: [1] }] },
      "steps[2].depends_on[0]",
      "must be a string, not 1",
    ],
    [{ session_id: {}, steps: [] }, "session_id", "must be a string, not an object"],
    [[], "body", "must be an object, not an empty list"],
    [null, "body", "must be an object, but it is missing"],
  ])("%j is refused by its field", async (body, field, reason) => {
    await using server = await startRestServer();
    const answer = await submit(server, JSON.stringify(body));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: `${field}: ${reason}`,
      code: "INVALID_PLAN",
      details: [{ field, reason }],
    });
    expect(server.orchestrator.lastContext).toBeUndefined();
  });

  it("has all its fields named, up to a hundred", async () => {
    await using server = await startRestServer();
    const two = await submit(server, JSON.stringify({ name: 1, steps: [{ id: 2 }] }));
    expect(two.body["details"]).toHaveLength(2);
    const many = await submit(server, JSON.stringify({ steps: Array(5000).fill(0) }));
    expect(many.body["details"]).toHaveLength(100);
  });
});

describe("a value that is none of those expected", () => {
  it.each([
    ["GET /api/plans?limit=ten", "limit", 'must be a number, not "ten"'],
    ["GET /api/plans?limit=1000", "limit", 'must be at most 200, not "1000"'],
    ["GET /api/memory/entries?limit=1.5", "limit", 'must be a whole number, not "1.5"'],
    [
      "GET /api/memory/entries?created_from=monday",
      "created_from",
      'must be a time such as 2026-01-05T12:00:00Z, not "monday"',
    ],
    [
      "GET /api/plans?status=complete",
      "status",
      'must be pending, running, completed, failed or cancelled, not "complete"; did you mean completed?',
    ],
  ])("%s is refused in plain English", async (request, field, reason) => {
    await using server = await startRestServer();
    const { status, body } = await send(server, request);
    expect([status, body["details"]]).toEqual([400, [{ field, reason }]]);
  });

  it.each([
    [{ equals: {} }, "must be a string, a number, true or false or null, not an object"],
    [{}, "must be a string, a number, true or false or null, but it is missing"],
  ])("of several kinds names each: %j", async (content, reason) => {
    await using server = await startRestServer();
    const body = { query: "x", filter: { content: { path: "$.a", ...content } } };
    const answer = await send(server, "POST /api/memory/search", { body });
    expect(answer.body["details"]).toEqual([{ field: "filter.content.equals", reason }]);
  });
});

describe("a body that is compressed", () => {
  it("is 415, and is told to be sent as it is", async () => {
    await using server = await startRestServer();
    const headers = { "content-encoding": "gzip", "content-type": "application/json" };
    const body = new Uint8Array(gzipSync('{"steps":[{"id":"a"}]}'));
    const response = await fetch(`${server.url}/api/plans`, { method: "POST", headers, body });
    expect([
      response.status,
      response.headers.get("accept-encoding"),
      await response.json(),
    ]).toEqual([
      415,
      "identity",
      {
        error: "content-encoding: gzip is not supported; send the body uncompressed",
        code: "INVALID_ARGUMENT",
        details: [{ field: "content-encoding", reason: "must be absent, or identity" }],
      },
    ]);
    const identity = {
      headers: { "content-encoding": "Identity" },
      body: '{"steps":[{"id":"a"}]}',
    };
    expect((await send(server, "POST /api/plans", identity)).status).toBe(201);
  });
});

describe("a body that is no JSON", () => {
  it.each([
    ["malformed JSON", '{"steps": [', "not valid JSON"],
    ["nothing", "", "body: must be an object, but it is missing"],
    ["invalid UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22]), "not valid UTF-8"],
    ["a cut-off character", Buffer.from('"é"').subarray(0, 2), "not valid UTF-8"],
  ])("%s is refused", async (_name, body, words) => {
    await using server = await startRestServer();
    const answer = await submit(server, body);
    expect(answer.status).toBe(400);
    expect(answer.body["error"]).toContain(words);
    expect(answer.body["code"]).toMatch(/^INVALID_(ARGUMENT|PLAN)$/);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ";"])(
    "content-type %s is refused, and the right one named",
    async (type) => {
      await using server = await startRestServer();
      const options = { body: "{}", headers: { "content-type": type } };
      const { status, body } = await send(server, "POST /api/plans", options);
      expect([status, body["code"]]).toEqual([400, "INVALID_ARGUMENT"]);
      expect(body["error"]).toContain("application/json");
    },
  );

  it("nests as deep as it likes without harm", async () => {
    await using server = await startRestServer();
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect((await submit(server, deep)).status).toBe(400);
    expect((await submit(server, `{"steps":[],"x":${deep}}`)).status).toBe(400);
    expect((await send(server, "GET /healthz")).status).toBe(200);
  });

  it("changes no object's nature by __proto__", async () => {
    await using server = await startRestServer();
    const answer = await submit(server, '{"__proto__":{"steps":[{"id":"a"}]},"name":"n"}');
    const details = [{ field: "steps" }, { field: "__proto__" }];
    expect(answer.body).toMatchObject({ code: "INVALID_PLAN", details });
  });
});

describe("a body that is too large", () => {
  it("is 413 LIMIT_EXCEEDED, whether its length is announced or not", async () => {
    await using server = await startRestServer();
    const large = new Uint8Array(REQUEST_BYTES_MAX + 1).fill(0x20);
    const expected = {
      status: 413,
      body: {
        error: "The body is larger than 4 MiB: submit several smaller plans",
        code: "LIMIT_EXCEEDED",
      },
    };
    expect(await submit(server, large)).toMatchObject(expected);
    const response = await fetch(`${server.url}/api/plans`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([large]).stream(),
      duplex: "half",
    });
    expect({ status: response.status, body: await response.json() }).toEqual(expected);
  });

  it("is taken when it just fits", async () => {
    await using server = await startRestServer();
    const plan = '{"steps":[{"id":"a"}]}';
    expect((await submit(server, plan.padEnd(REQUEST_BYTES_MAX))).status).toBe(201);
  });
});

describe("a proposal of a schema", () => {
  const propose = (server: TestRestServer, sql: string, role: string) =>
    send(server, "POST /api/state/migrations", {
      body: { database: "shop", sql, message: "m" },
      headers: { "x-user-role": role },
    });

  it("may be larger than other bodies, for those who may propose it", async () => {
    await using server = await startRestServer();
    const large = " ".repeat(REQUEST_BYTES_MAX + 1);
    const taken = await propose(server, large, "admin");
    expect(taken).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining("no data source") },
    });
    expect((await propose(server, large, "agent")).status).toBe(403);
    const tooLarge = " ".repeat(PROPOSAL_BYTES_MAX);
    expect(await propose(server, tooLarge, "admin")).toMatchObject({
      status: 413,
      body: {
        error: expect.stringMatching(/^The body is larger than 32 MiB: leave out rows/),
        code: "LIMIT_EXCEEDED",
      },
    });
  });
});

describe("a path or method there is none of", () => {
  it("is 404 NOT_FOUND for an unknown path", async () => {
    await using server = await startRestServer();
    for (const request of [
      "GET /api",
      "PROPFIND /nowhere",
      "POST /api/plan?x=1",
      "PATCH /nowhere",
    ]) {
      const { status, body } = await send(server, request);
      expect([status, body["code"]]).toEqual([404, "NOT_FOUND"]);
    }
  });

  it.each([
    ["PUT /api/plans", "GET, HEAD, POST"],
    ["PATCH /api/plans/p", "DELETE, GET, HEAD"],
    ["GET /api/plans/p/steps/s/execute", "POST"],
    ["OPTIONS /api/plans/p/retry", "POST"],
    ["DELETE /healthz", "GET, HEAD"],
    ["PROPFIND /api/plans?x=1", "GET, HEAD, POST"],
    ["QUERY /api/memory/search", "POST"],
    ["LOCK /", "GET, HEAD"],
  ])("%s is 405 and says what there is", async (request, allow) => {
    await using server = await startRestServer();
    const { status, body, headers } = await send(server, request);
    expect([status, body["code"]]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    expect(headers.get("allow")).toBe(allow);
  });

  it("is 400 for a path that is no percent-encoded text", async () => {
    await using server = await startRestServer();
    const { status, body } = await send(server, "GET /api/plans/%zz");
    expect([status, body["code"]]).toEqual([400, "INVALID_ARGUMENT"]);
  });
});

describe("a malformed identity header", () => {
  it("is 400 before the body is looked at", async () => {
    await using server = await startRestServer();
    const headers = { "x-org-id": "acme" };
    const { status, body } = await send(server, "POST /api/plans", { body: "{", headers });
    expect([status, body["code"]]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body["details"]).toMatchObject([{ field: "x-org-id" }]);
  });
});

describe("every answer", () => {
  it("carries the caller's request id, or a new one in place of a bad one", async () => {
    await using server = await startRestServer();
    const id = async (given: string): Promise<string | null> =>
      (await send(server, "GET /nowhere", { headers: { "x-request-id": given } })).headers.get(
        "x-request-id",
      );
    expect(await id("r-42")).toBe("r-42");
    expect(await id("has space")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("forbids a browser everything, errors included", async () => {
    await using server = await startRestServer();
    for (const request of [
      "GET /healthz",
      "GET /nowhere",
      "PUT /api/plans",
      "GET /api/plans/%zz",
    ]) {
      const { headers } = await send(server, request);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});
