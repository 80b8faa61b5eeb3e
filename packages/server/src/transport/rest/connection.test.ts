import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { send, startRestServer, type TestRestServer } from "./testing/rest-server.js";

const deadlines = {
  headersMs: 300,
  requestMs: 600,
  keepAliveMs: 300,
  unreadMs: 5_000,
  checkMs: 50,
  heartbeatMs: 1_000,
};

/** For requests that must be served, however slow the machine is. */
const patient = { ...deadlines, headersMs: 60_000, requestMs: 60_000, unreadMs: 60_000 };

/** A plan whose step runs until the test ends it. */
const plan = { steps: [{ id: "a", query_template: "wait" }] };

/** Writes these bytes and reads until the server closes the connection. */
async function talk(server: TestRestServer, ...texts: string[]): Promise<string> {
  const socket = connect(server.port, "127.0.0.1").setEncoding("latin1");
  for (const text of texts) socket.write(text, "latin1");
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
}

describe("a connection that keeps the server waiting", () => {
  it.each([
    ["silent", ""],
    ["half a request line", "GET /hea"],
    ["headers without end", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n"],
    [
      "half a body",
      "POST /api/plans HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    ],
  ])("is answered 408 and closed: %s", async (_name, text) => {
    await using server = await startRestServer({ deadlines });
    const answer = await talk(server, text);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(bodyOf(answer)).toEqual({
      error: "The request took too long to arrive",
      code: "DEADLINE_EXCEEDED",
    });
    expect(server.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("is closed when nothing follows its last request", async () => {
    await using server = await startRestServer({ deadlines: patient });
    const answer = await talk(server, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("is served whatever it expects of the server", async () => {
    await using server = await startRestServer({ deadlines: patient });
    const answer = await talk(
      server,
      "GET /healthz HTTP/1.1\r\nhost: localhost\r\nexpect: 200-maybe\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("may close its own side once it has asked", async () => {
    await using server = await startRestServer({ deadlines: patient });
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.end("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe("what is not HTTP/1.1", () => {
  it.each([
    ["noise", "\x16\x03\x01\x02\x00\x01\r\n\r\n", 400, "INVALID_ARGUMENT"],
    ["a method that is no token", "F(T / HTTP/1.1\r\n\r\n", 400, "INVALID_ARGUMENT"],
    [
      "two lengths",
      "POST /api/plans HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "INVALID_ARGUMENT",
    ],
    ["no host", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "INVALID_ARGUMENT"],
    [
      "headers too large",
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
      431,
      "LIMIT_EXCEEDED",
    ],
  ])("is answered in the shape of every error: %s", async (_name, text, status, code) => {
    await using server = await startRestServer({ deadlines: patient });
    const answer = await talk(server, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(bodyOf(answer)).toMatchObject({ code });
  });

  it.each(["FETCH", "CONNECT"])("is told the methods of a known path: %s", async (method) => {
    await using server = await startRestServer({ deadlines: patient });
    const known = await talk(
      server,
      `${method} /api/plans?x=1 HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    );
    expect(known).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(known).toContain("\r\nallow: GET, HEAD, POST\r\n");
    expect(bodyOf(known)).toEqual({
      error: `${method} is not allowed here; the methods are: GET, HEAD, POST`,
      code: "METHOD_NOT_ALLOWED",
    });
    const unknown = await talk(server, `${method} /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(unknown).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(bodyOf(unknown)).toMatchObject({ code: "NOT_FOUND" });
  });

  it("does not write into the middle of an answer", async () => {
    await using server = await startRestServer({ deadlines: patient });
    const { orchestrator } = server;
    await send(server, "POST /api/plans", { body: plan });
    const socket = connect(server.port, "127.0.0.1").setEncoding("latin1");
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.write("GET /api/plans/plan-1/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await expect.poll(() => answer).toContain("PlanCreated");
    socket.write("\x00noise\r\n\r\n");
    await expect.poll(() => orchestrator.listeners("plan-1")).toBe(0);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    socket.destroy();
  });
});

describe("closing", () => {
  it("cuts no request that is under way", async () => {
    await using server = await startRestServer({ deadlines: patient });
    const { body } = await send(server, "POST /api/plans", { body: plan });
    const { plan_id: id } = body.data as { plan_id: string };
    const answer = send(server, `POST /api/plans/${id}/steps/a/execute`);
    await expect.poll(() => server.orchestrator.waiting).toBe(1);
    await server.rest.close();
    server.orchestrator.release();
    expect((await answer).status).toBe(200);
  });
});
